import { expect, test } from 'vitest';
import { run } from '../support/scenario/simulate.js';

/** When the startup probe of a pod that comes at 15 s runs, in s. */
async function probedAt(volumeMounts: readonly object[]): Promise<number[]> {
  const container = {
    name: 'app',
    image: 'busybox:1',
    imagePullPolicy: 'IfNotPresent',
    startupProbe: { exec: { command: ['true'] }, periodSeconds: 4, failureThreshold: 9 },
    volumeMounts,
  };
  const spec = { containers: [container], volumes: [{ name: 'files', emptyDir: {} }] };
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec };
  const { calls } = await run({
    timeline: [{ at: '15s', do: { addPod: { manifest, behaviors: { app: 'run,exec-exit=1' } } } }],
    until: '30s',
  });
  return calls.flatMap(({ t, rpc }) => (rpc === 'ExecSync' ? [t] : []));
}

test('probes start once the volumes of a pod are mounted, 0.3 s after its arrival', async () => {
  expect(await probedAt([])).toEqual([19, 23, 27]);
  expect(await probedAt([{ name: 'files', mountPath: '/files' }])).toEqual([19.3, 23.3, 27.3]);
});
