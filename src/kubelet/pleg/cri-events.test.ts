import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import {
  type ContainerEventResponse,
  ContainerEventType,
  ContainerState,
  ContainerStatus,
  PodSandboxState,
  PodSandboxStatus,
} from '../../cri/gen/runtime/v1/api.js';
import { noFiles } from '../disk/files.js';
import { createPodCache } from './cache.js';
import { createEventChannel } from './channel.js';
import { createCriEventHandler } from './cri-events.js';
import type { GenericPleg } from './generic.js';
import { noPlegMetrics } from './metrics.js';

/** Design A, and events of pod `a` at intervals of one second. */
function setup() {
  const clock = createVirtualClock();
  const cache = createPodCache({ clock, refuseOlder: true, miss: 'wait' });
  const running: string[] = [];
  const handle = createCriEventHandler({
    clock,
    files: noFiles,
    cache,
    channel: createEventChannel(() => {}),
    generic: {} as GenericPleg,
    metrics: {
      ...noPlegMetrics,
      moreRunningContainers: (state, difference) => running.push(`${state} ${difference}`),
    },
    design: 'A',
    log: () => {},
    report: () => {},
  });
  let createdAt = 0n;
  const tell = (given: Partial<ContainerEventResponse>, ip = '', state = PodSandboxState.SANDBOX_READY) => {
    createdAt += 1_000_000_000n;
    const podSandboxStatus = PodSandboxStatus.fromPartial({
      id: 's1',
      metadata: { uid: 'a' },
      state,
      network: { ip },
    });
    const containerEventType = ContainerEventType.CONTAINER_STARTED_EVENT;
    return handle({
      containerId: 's1',
      containerEventType,
      createdAt,
      podSandboxStatus,
      containersStatuses: [],
      ...given,
    });
  };
  return { tell, cache, running };
}

test('a stopped sandbox keeps its known addresses, a ready sandbox without an address does not', async () => {
  const { tell, cache } = setup();
  await tell({}, '10.0.0.1');
  await tell({}, '', PodSandboxState.SANDBOX_NOTREADY);
  expect(cache.get('a')?.ips).toEqual(['10.0.0.1']);
  await tell({});
  expect(cache.get('a')?.ips).toEqual([]);
});

test('a removed container leaves the count, although the cache keeps it until the next event', async () => {
  const { tell, running } = setup();
  const exited = ContainerStatus.fromPartial({ id: 'c1', state: ContainerState.CONTAINER_EXITED });
  await tell({ containersStatuses: [exited] });
  const removed = { containerId: 'c1', containerEventType: ContainerEventType.CONTAINER_DELETED_EVENT };
  await tell(removed);
  expect(running).toEqual(['exited 1', 'exited -1']);
});
