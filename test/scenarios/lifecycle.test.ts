import { expect, test } from 'vitest';
import { run } from '../support/scenario/simulate.js';

const image = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';
const container = (name: string, script: string, more: object = {}) => ({
  name,
  image,
  command: ['sh', '-c', script],
  ...more,
});
const pod = (name: string, spec: object) => ({
  manifest: { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec },
});

test('sidecars start before the pod and are restarted; a deleted pod is shown as Terminating', async () => {
  const always = { restartPolicy: 'Always' };
  const { events, rows } = await run({
    pods: [
      pod('web', {
        terminationGracePeriodSeconds: 10,
        initContainers: [
          container('setup', 'sleep 2'),
          container('first', "trap 'exit 0' TERM; while true; do sleep 1; done", always),
          container('second', "trap 'exit 0' TERM; while true; do sleep 1; done", always),
        ],
        containers: [container('app', "trap 'sleep 3; exit 0' TERM; while true; do sleep 1; done")],
      }),
    ],
    timeline: [
      { at: '20s', do: { exitContainer: { pod: 'web', container: 'first', code: 1 } } },
      { at: '40s', do: { removePod: 'web' } },
    ],
    until: '80s',
  });
  const started = events.filter(({ reason }) => reason === 'Started').map(({ field }) => field);
  expect(started).toEqual([
    'spec.initContainers{setup}',
    'spec.initContainers{first}',
    'spec.initContainers{second}',
    'spec.containers{app}',
    'spec.initContainers{first}',
  ]);
  const shown = rows.map(({ ready, status, restarts }) => `${ready} ${status} ${restarts}`);
  expect(shown).toContain('3/3 Running 0');
  expect(shown).toContain('3/3 Running 1');
  expect(shown.some((text) => text.includes('Terminating'))).toBe(true);
});

test('the time of preStop counts towards the grace period', async () => {
  const { events, calls } = await run({
    pods: [
      pod('web', {
        terminationGracePeriodSeconds: 10,
        containers: [
          container('app', 'while true; do sleep 1; done', {
            lifecycle: { preStop: { exec: { command: ['sh', '-c', 'sleep 4'] } } },
          }),
        ],
      }),
    ],
    timeline: [{ at: '20s', do: { removePod: 'web' } }],
    until: '60s',
  });
  const killing = events.find(({ reason }) => reason === 'Killing');
  expect(killing?.message).toBe('Stopping container app');
  const stop = calls.find(({ rpc }) => rpc === 'StopContainer');
  const end = calls.find(({ rpc }) => rpc === 'StopPodSandbox');
  expect((stop?.t ?? 0) - (killing?.t ?? 0)).toBeCloseTo(4, 0);
  expect((end?.t ?? 0) - (stop?.t ?? 0)).toBeCloseTo(6, 0);
});

test('a pod that has ended disappears as soon as it is deleted', async () => {
  const { steps } = await run({
    pods: [pod('job', { restartPolicy: 'Never', containers: [container('app', 'exit 0')] })],
    timeline: [{ at: '20s', do: { removePod: 'job' } }],
    until: '60s',
  });
  expect(steps.find(({ text }) => text === 'pod job is gone')?.t).toBe(20);
});
