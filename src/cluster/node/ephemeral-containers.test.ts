import { expect, test } from 'vitest';
import { startNode } from '../../../test/support/cluster/node-rig.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { type ApiPod, podFromApi } from '../objects/pod-from-api.js';
import { statusToApi } from '../objects/status-patch.js';

type Debug = NonNullable<ApiPod['spec']['ephemeralContainers']>;

const app = { name: 'app', image: 'busybox:1', command: ['sleep', '1000'] };

const podWith = (ephemeralContainers: Debug | undefined, generation: number): Pod =>
  podFromApi({
    metadata: { name: 'web', namespace: 'default', uid: 'u1', resourceVersion: '1', generation },
    spec: { containers: [app], ...(ephemeralContainers && { ephemeralContainers }) },
  });

async function setup() {
  const { clock, node, events: seen, deliver, close } = await startNode(() => [podWith(undefined, 1)]);
  const events = () => seen.map(({ field, reason }) => `${reason} ${field}`);
  const statuses = () => {
    const [{ pod, status } = { pod: undefined, status: undefined }] = node.pods();
    if (pod === undefined || status === undefined) throw new Error('the pod has no status');
    return statusToApi(pod, status, { hostIp: '10.0.0.1', minor: 36 }).ephemeralContainerStatuses;
  };
  const add = async (container: Debug[number]) => {
    deliver([podWith([container], 2)]);
    await clock.advance(20_000);
  };
  return { clock, events, node, statuses, add, close };
}

test('an ephemeral container is started in a running pod, sees the processes of its target, and ends for good', async () => {
  const { clock, events, node, statuses, add, close } = await setup();
  expect(statuses()).toBeUndefined();
  await add({
    name: 'debug',
    image: 'busybox:1',
    command: ['sh', '-c', 'ps; sleep 60; exit 3'],
    targetContainerName: 'app',
  });
  expect(statuses()).toMatchObject([{ name: 'debug', state: { running: {} }, restartCount: 0 }]);
  expect(events()).toContain('Started spec.ephemeralContainers{debug}');
  const debug = [...node.runtime.running()].find(({ container }) => container.name === 'debug');
  const asked = node.cri.execSync({
    containerId: debug?.container.id ?? '',
    cmd: ['ps'],
    timeout: 5n,
  });
  await clock.advance(1000);
  expect(Buffer.from((await asked).stdout).toString()).toContain('sleep 1000');
  await clock.advance(120_000);
  expect(statuses()).toMatchObject([
    { name: 'debug', state: { terminated: { exitCode: 3 } }, restartCount: 0 },
  ]);
  expect(events().filter((event) => event.startsWith('Started'))).toHaveLength(2);
  await close();
});

test('an ephemeral container whose target does not exist waits, with the reason', async () => {
  const { statuses, add, close } = await setup();
  await add({ name: 'debug', image: 'busybox:1', command: ['sleep', '60'], targetContainerName: 'nope' });
  expect(statuses()).toMatchObject([
    {
      name: 'debug',
      state: {
        waiting: { reason: 'CreateContainerConfigError', message: 'unable to find target container nope' },
      },
    },
  ]);
  await close();
});
