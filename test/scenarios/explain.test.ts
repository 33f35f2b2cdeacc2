import { expect, test } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { simulateCommand } from '../../src/cli/simulate.js';
import type { Clock } from '../../src/clock/clock.js';
import { explain } from '../../src/scenario/explain/explain.js';
import { loadScenario } from '../../src/scenario/load.js';
import { timelineText } from '../../src/scenario/timeline.js';
import { runsOf } from '../../src/scenario/variants.js';
import { statusOf } from '../../src/server/status.js';
import { run, simulateScenario } from '../support/simulate.js';

const web = (behavior: string) => ({
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'app', image: 'nginx' }] },
  },
  behaviors: { app: behavior },
});

test('nothing is explained about a run in which nothing is wrong', async () => {
  const result = await run({ pods: [web('run')], until: '30s' });
  expect(explain(result)).toEqual([
    'Nothing restarted, the PLEG worked as it should, and the node stayed ready.',
  ]);
});

test('a lost event is named with the restart that it delays', async () => {
  const [first] = runsOf(await loadScenario('scenarios/evented-event-lost.yaml'), '1.35');
  if (first === undefined) throw new Error('the scenario has no run');
  const [restart, ...rest] = explain(await simulateScenario(first.scenario));
  expect(rest).toEqual([]);
  expect(restart).toMatch(/^ {3}5m00\.1s {2}web\/app started again \(restart 1\), 4m30\.\ds after it ended/);
  expect(restart).toContain(
    'Fault rule "lost" acted at 30.0s: drop on GetContainerEvents, so the kubelet missed this event.',
  );
});

test('a call that hangs since before the end is named too, and a fault on another pod is not', async () => {
  const hang = { match: { method: '@list' }, then: { hang: {} } };
  const other = {
    name: 'other',
    match: { method: 'StartContainer', pod: { name: 'db' } },
    then: { error: {} },
  };
  const db = { ...web('run'), manifest: { ...web('run').manifest, metadata: { name: 'db' } } };
  const result = await run({
    pods: [web('run'), db],
    faults: [other],
    timeline: [
      { at: '20s', do: { addFault: { name: 'hang', ...hang } } },
      { at: '30s', do: { exitContainer: { pod: 'web', container: 'app', code: 1 } } },
      { at: '60s', do: { removeFault: 'hang' } },
    ],
    until: '90s',
  });
  const [restart] = explain(result).filter((text) => text.includes('started again'));
  expect(restart).toMatch(/Fault rule "hang" acted 2 times at 20\.0s: hang on ListPodSandbox\./);
  expect(restart).not.toContain('other');
});

test('a timeline with calls has each change with its time, and reads once; golden files have none', async () => {
  const result = await run({ pods: [web('exit=1,after=2s')], until: '20s' });
  const lines = timelineText(result, { withCalls: true });
  const starts = lines.filter((line) =>
    /^ +\d+\.\d{3}s {2}call {3}StartContainer {2}OK {2}\d+ms$/.test(line),
  );
  expect(starts).toHaveLength(result.calls.filter(({ rpc }) => rpc === 'StartContainer').length);
  expect(starts.length).toBeGreaterThan(1);
  expect(lines.filter((line) => line.includes('call   ListContainers'))).toHaveLength(1);
  expect(timelineText(result).join('\n')).not.toContain('s  call   ');
  const start = result.calls.find(({ rpc }) => rpc === 'StartContainer');
  expect(start).toEqual({
    t: expect.any(Number),
    rpc: 'StartContainer',
    end: expect.any(Number),
    code: 'OK',
  });
});

/** What `mockri simulate` prints. */
async function printed(...args: string[]): Promise<string> {
  let text = '';
  const write = process.stdout.write;
  process.stdout.write = (chunk: string | Uint8Array) => {
    text += chunk;
    return true;
  };
  try {
    const parts = {
      backend: (clock: Clock) => createMemoryBackend({ clock }),
      codeOf: (error: unknown) => statusOf(error, String).code,
    };
    await simulateCommand(parts).parseAsync(args, { from: 'user' });
  } finally {
    process.stdout.write = write;
    process.exitCode = 0;
  }
  return text;
}

test.each([[[]], [['--output', 'table']]])('--explain %s shows story, rows and reasons', async (flags) => {
  const text = await printed('liveness-crash-loop', '--explain', ...flags);
  expect(text).toMatch(/What you see:[\s\S]*Why:[\s\S]*What helps:[\s\S]*TIME +NAME[\s\S]*CrashLoopBackOff/);
  expect(text).toMatch(/\n +\d\S*s {2}\S+ started again \(restart 1\)/);
});

test('--json has the calls with times, ends and codes', async () => {
  const json = JSON.parse(await printed('crash-loop-back-off', '--json'));
  expect(json.calls).toContainEqual({
    t: expect.any(Number),
    rpc: 'StartContainer',
    end: expect.any(Number),
    code: 'OK',
  });
});
