import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSimulation, parseScenario, runScenario, startKubelet } from 'mockri/simulation';
import { diffTapes, joinCalls, judgeTape, openTape } from 'mockri/tape';
import { startMockri } from 'mockri/testing';
import { expect, test } from 'vitest';

const POD = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec: { containers: [{ name: app, image: busybox, command: [sh, -c, "sleep 5; exit 3"] }] }
`;

test('a bundled scenario, in two versions of the kubelet', async () => {
  const [old] = await runScenario('crash-loop-back-off', { kubeletVersion: '1.34' });
  const [latest] = await runScenario('crash-loop-back-off');
  expect(old?.problems).toEqual([]);
  expect(latest?.run.rows.some(({ status }) => status === 'CrashLoopBackOff')).toBe(true);
  expect(latest?.explanation.join('\n')).toContain('back-off');
});

test('a scenario of your own', async () => {
  const scenario = await parseScenario(
    `version: 1
until: 5m
pods:
  - manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: x }] } }
    behaviors: { app: "exit=1,after=2s" }
expect:
  rowsInclude: [{ pod: web, status: CrashLoopBackOff, restarts: 3 }]
`,
    'crash.yaml',
  );
  const [result] = await runScenario(scenario);
  expect(result?.problems).toEqual([]);
});

test('a simulation that a program drives', async () => {
  const simulation = await openSimulation('crash-loop-back-off', { kubeletVersion: '1.37' });
  const statuses: string[] = [];
  simulation.tape.listen({
    only: ['row'],
    entry: (entry) => {
      if (entry.kind === 'row') statuses.push(entry.status);
    },
  });
  await simulation.advance(5 * 60_000, () => statuses.includes('CrashLoopBackOff'));
  expect(statuses).toContain('CrashLoopBackOff');
  await simulation.perform({ kubelet: 'restart' });
  await simulation.advance(10 * 60_000);
  await simulation.close();
});

test('the thin kubelet on a runtime of the test kit: minutes take no real time', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'library-'));
  const tape = join(directory, 'run.tape.gz');
  const mockri = await startMockri({ clock: 'virtual', record: tape });
  const kubelet = await startKubelet({
    runtime: mockri.client,
    clock: mockri.clock,
    manifests: [POD],
    version: '1.35',
  });
  await mockri.advance('2m');
  expect(kubelet.rows).toContainEqual(
    expect.objectContaining({ pod: 'web-mock-node', status: 'CrashLoopBackOff', restarts: 1 }),
  );
  expect(kubelet.events.some(({ reason }) => reason === 'BackOff')).toBe(true);
  kubelet.setManifests([]);
  await mockri.advance('1m');
  expect(mockri.runtime.snapshot().sandboxes).toEqual([]);
  await kubelet.stop();
  await mockri.close();

  const calls = [];
  for await (const each of joinCalls((await openTape(tape)).entries))
    if (each.kind === 'finished') calls.push(each.call.method);
  expect(calls).toContain('StartContainer');
  expect((await judgeTape(await openTape(tape))).findings).toEqual([]);
  expect((await diffTapes(await openTape(tape), await openTape(tape))).differences).toEqual([]);
  await rm(directory, { recursive: true });
});
