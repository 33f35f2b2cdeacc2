import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { PodSandbox, PodSandboxState } from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeClient } from '../client/client.js';
import { POD_UID } from '../client/labels.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import { createPodCache, emptyStatus, type PodCache } from './cache.js';
import { createEventChannel } from './channel.js';
import { noPlegMetrics } from './metrics.js';
import { createRelister } from './relister.js';

/** A relister for a runtime with one sandbox of pod `a`. */
function setup({ syncsReinspected = true, reinspectsLast = false } = {}) {
  const clock = createVirtualClock();
  const cache = createPodCache({ clock, refuseOlder: false, miss: 'wait' });
  const channel = createEventChannel(() => {});
  const runtime = {
    sandboxes: [PodSandbox.fromPartial({ id: 's1', metadata: { uid: 'a' }, labels: { [POD_UID]: 'a' } })],
    containers: [],
    isBroken: false,
    /** The next inspections that fail. */
    failures: 0,
    inspections: 0,
  };
  const client: Partial<RuntimeClient> = {
    listSandboxes: async () => runtime.sandboxes,
    // As the client: equal replies are one object.
    listContainers: async () => runtime.containers,
  };
  const relister = createRelister({
    clock,
    client: client as RuntimeClient,
    order: 'newest first',
    cache,
    channel,
    metrics: noPlegMetrics,
    inspect: async ({ uid }, timestamp): Promise<RuntimePodStatus> => {
      runtime.inspections++;
      if (runtime.isBroken || runtime.failures-- > 0) throw new Error('boom');
      return { ...emptyStatus(uid), timestamp };
    },
    skipRefused: false,
    syncsReinspected,
    reinspectsLast,
    log: () => {},
    report: () => {},
  });
  const events = () => {
    const types: string[] = [];
    for (let next = channel.receive(); next !== undefined; next = channel.receive()) types.push(next.type);
    return types;
  };
  const relistAll = async () => {
    const done = relister.relistAll();
    await clock.advance(0);
    await done;
  };
  return { clock, relister, relistAll, cache, runtime, events };
}

/** Whether the last inspection of pod `a` did not fail. */
function isReadable(cache: PodCache): boolean {
  try {
    return cache.get('a') !== undefined;
  } catch {
    return false;
  }
}

test('a pod that a single relist does not find stays until the next full relist', async () => {
  const { relister, relistAll, cache, runtime, events } = setup();
  await relistAll();
  expect(events()).toEqual(['ContainerStarted']);
  runtime.sandboxes = [];
  const before = cache.heldUntil('a');
  await relister.relistPod('a', cache.stamp());
  expect(events()).toEqual([]);
  expect(cache.heldUntil('a')).toBe(before);
  await relistAll();
  expect(events()).toEqual(['ContainerDied', 'ContainerRemoved']);
  expect(cache.get('a')).toBeUndefined();
});

test('what is due in the same instant comes before the changes that a relist finds', async () => {
  const { clock, relister, events } = setup();
  const before: string[][] = [];
  clock.setTimer(1, () => void clock.run(relister.relistAll));
  clock.setTimer(1, () => {
    before.push(events());
  });
  await clock.advance(1);
  expect([before, events()]).toEqual([[[]], ['ContainerStarted']]);
});

test.each([
  [true, ['PodSync']],
  [false, []],
])('a failed inspection is repeated although nothing changed: %s', async (syncsReinspected, found) => {
  const { relistAll, runtime, events } = setup({ syncsReinspected });
  const ready = runtime.sandboxes;
  await relistAll();
  events();
  runtime.sandboxes = ready.map((sandbox) => ({ ...sandbox, state: PodSandboxState.SANDBOX_NOTREADY }));
  runtime.isBroken = true;
  await relistAll();
  runtime.sandboxes = ready;
  runtime.isBroken = false;
  await relistAll();
  expect(events()).toEqual(found);
});

test.each([
  { reinspectsLast: true, inspections: [1, 3, 4], status: [false, true, true] },
  { reinspectsLast: false, inspections: [1, 2, 3], status: [false, false, true] },
])(
  'a pod with events whose inspection fails again is inspected: %j',
  async ({ reinspectsLast, ...found }) => {
    const { relistAll, cache, runtime, events } = setup({ reinspectsLast });
    const seen = { inspections: [] as number[], status: [] as boolean[] };
    runtime.failures = 2;
    for (const _ of [1, 2, 3]) {
      await relistAll();
      seen.inspections.push(runtime.inspections);
      seen.status.push(isReadable(cache));
    }
    expect(seen).toEqual(found);
    expect(events()).toEqual(['ContainerStarted']);
  },
);
