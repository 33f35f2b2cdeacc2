import { expect, test } from 'vitest';
import { run } from '../support/scenario/simulate.js';

test('an ended init container is removed by one call, although both sync and garbage collection want to remove it', async () => {
  const { calls } = await run({
    pods: [
      {
        manifest: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'web' },
          spec: {
            initContainers: [{ name: 'init', image: 'busybox:1' }],
            containers: [{ name: 'app', image: 'nginx:1' }],
          },
        },
        behaviors: { init: 'exit=6,after=0s' },
      },
    ],
    until: '30s',
  });
  const of = (method: string) => calls.filter(({ rpc }) => rpc === method).length;
  expect([of('CreateContainer'), of('RemoveContainer')]).toEqual([3, 2]);
});
