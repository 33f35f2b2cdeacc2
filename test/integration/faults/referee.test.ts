import { expect, test } from 'vitest';
import type { Mockri, RefereeMode } from '../../../src/testing/index.js';
import { createPod, ending, type StartedPod, startPod, useMockri } from './kit.js';

const mockri = useMockri();

/** Violations by a client, and the referee's messages. */
const breaches: [string, RegExp, (m: Mockri, pod: StartedPod) => Promise<unknown>][] = [
  [
    'REF-01',
    /app attempt 0 is RUNNING; a container is started once/,
    (m, pod) => m.client.startContainer(pod),
  ],
  [
    'REF-02',
    /default\/web \(uid uid-web\) attempt 0; a stopped sandbox is never READY again/,
    async (m, pod) => {
      await m.client.stopPodSandbox(pod);
      await create(m, pod, 'late');
    },
  ],
  ['REF-03', /default\/web .* remove that sandbox first/, (m) => createPod(m, 'web')],
  ['REF-04', /app attempt 0; remove that container first/, (m, pod) => create(m, pod, 'app')],
  ['REF-05', /app attempt 0 runs; stop it first/, (m, pod) => m.client.removeContainer(pod)],
  ['REF-06', /default\/web .* stop it first/, (m, pod) => m.client.removePodSandbox(pod)],
  [
    'REF-07',
    /StopContainer of app attempt 0 failed and was not repeated/,
    async (m, pod) => {
      m.fault('StopContainer').once().error('UNAVAILABLE');
      await ending(m.client.stopContainer(pod));
      await m.client.removeContainer(pod);
    },
  ],
  [
    'REF-08',
    /the sandbox is default\/web .*, sandbox_config says default\/other/,
    (m, pod) => create(m, pod, 'second', 'other'),
  ],
];

test.each(breaches)('%s is reported', async (rule, message, act) => {
  const m = await mockri();
  const pod = await startPod(m, 'web');
  m.assertClean();
  await ending(act(m, pod));
  expect(m.findings).toMatchObject([
    { sequence: 1, rule, message: expect.stringMatching(message), peer: 'unix#1' },
  ]);
  expect(() => m.assertClean()).toThrow(new RegExp(`1 thing wrong:\n {2}${rule}: `));
});

test.each<[RefereeMode, string]>([
  ['off', 'OK'],
  ['warn', 'OK'],
  [
    'strict',
    'FAILED_PRECONDITION referee REF-05: RemoveContainer removes a container that runs: app attempt 0 runs; stop it',
  ],
])('%s answers %s', async (referee, expected) => {
  const m = await mockri({ referee, control: true });
  const pod = await startPod(m, 'web');
  expect((await ending(m.client.removeContainer(pod))).slice(0, expected.length)).toBe(expected);
  expect(m.findings).toHaveLength(referee === 'off' ? 0 : 1);
  const shown = (await (await fetch(`${m.control}/v1/referee`)).json()) as {
    rules: { id: string; count: number }[];
  };
  expect(shown).toMatchObject({ mode: referee, findings: m.findings.map(({ rule }) => ({ rule })) });
  expect(shown.rules.find(({ id }) => id === 'REF-05')?.count).toBe(m.findings.length);
  const metrics = await (await fetch(`${m.control}/metrics`)).text();
  expect(metrics.includes('mockri_referee_findings_total{rule="REF-05"} 1')).toBe(referee !== 'off');
});

test('a correct client has no violations despite faults, and the referee does not change the faults’ counts', async () => {
  const m = await mockri({ referee: 'strict' });
  const status = m.fault('ContainerStatus').error('INTERNAL');
  m.fault('StopContainer').once().error('UNAVAILABLE');
  const pod = await startPod(m, 'web');
  expect(await ending(m.client.stopContainer(pod))).toMatch(/^UNAVAILABLE/);
  await m.client.stopContainer(pod);
  await m.client.removeContainer(pod);
  await m.client.stopPodSandbox(pod);
  await m.client.removePodSandbox(pod);
  await startPod(m, 'web');
  m.assertClean();
  expect(status.counts).toMatchObject({ seen: 0 });
});

async function create(m: Mockri, { podSandboxId }: StartedPod, name: string, pod = 'web'): Promise<unknown> {
  const sandboxConfig = { metadata: { name: pod, namespace: 'default', uid: `uid-${pod}`, attempt: 0 } };
  const image = { image: 'registry.k8s.io/e2e-test-images/busybox:1.29-2' };
  const config = { metadata: { name, attempt: 0 }, image, linux: {} };
  return m.client.createContainer({ podSandboxId, config, sandboxConfig });
}
