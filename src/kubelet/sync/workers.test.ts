import { expect, test } from 'vitest';
import { aPod } from '../../../test/support/kubelet/objects.js';
import { statusOf } from '../../../test/support/kubelet/pod-status.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import type { ListedPod } from '../client/list-pods.js';
import { kubeletVersion } from '../config/version.js';
import { createRecorder } from '../events/recorder.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import { createPodCache, emptyStatus, type PodCache } from '../pleg/cache.js';
import type { PodSyncer } from './pod-worker-loop.js';
import { createWorkQueue } from './work-queue.js';
import { createPodWorkers } from './workers.js';

/** Workers whose pods are in the cache from the start, if none is given; `did` lists the calls to the syncer. */
function setup(given: Partial<PodSyncer> = {}, clock = createVirtualClock(), cache?: PodCache) {
  const did: string[] = [];
  const shown: { now: PodApiStatus | undefined } = { now: undefined };
  const note = (what: string, pod: Pod) => did.push(`${what} ${pod.metadata.uid}`);
  const syncer: PodSyncer = {
    syncPod: async () => ({ ended: false, changed: false }),
    terminatePod: async () => {},
    terminateRuntimePod: async () => {},
    finishPod: async () => {},
    ...given,
  };
  const workers = createPodWorkers({
    clock,
    random: createRandom(1),
    version: kubeletVersion('1.36'),
    syncFrequency: 60_000,
    cache: cache ?? {
      get: emptyStatus,
      getNewerThan: async (uid) => emptyStatus(uid),
      heldUntil: () => 0n,
      stamp: () => 0n,
      endOfSync: () => 0n,
      set: () => true,
      remove: () => {},
      updateTime: () => {},
      setObservedTime: () => {},
    },
    queue: createWorkQueue(clock, () => {}),
    recorder: createRecorder(clock, () => {}),
    finished: () => {},
    requestRelist: () => {},
    ending: () => {},
    allocated: (pod) => pod,
    shown: () => shown.now,
    log: () => {},
    syncer: {
      syncPod: (pod, status) => {
        note('sync', pod);
        return syncer.syncPod(pod, status);
      },
      terminatePod: (pod, status, grace) => {
        note(`terminate in ${grace}`, pod);
        return syncer.terminatePod(pod, status, grace);
      },
      terminateRuntimePod: (pod) => {
        did.push(`terminate runtime pod ${pod.uid}`);
        return syncer.terminateRuntimePod(pod);
      },
      finishPod: (pod, status, before) => {
        note('finish', pod);
        return syncer.finishPod(pod, status, before);
      },
    },
  });
  const settle = async () => {
    workers.begin();
    await clock.advance(1);
    return did.splice(0);
  };
  return { clock, workers, settle, shown };
}

const static1 = aPod({}, { uid: '1' });
const deleted = (pod: Pod, grace: number): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: 1n, deletionGracePeriodSeconds: grace },
});
const refuse = async () => {
  throw new Error('no');
};

test('every housekeeping terminates a pod that is no longer wanted, until it succeeds', async () => {
  const attempts = [refuse, refuse];
  const { workers, settle } = setup({ terminatePod: async () => attempts.pop()?.() });
  workers.create(static1);
  expect(await settle()).toEqual(['sync 1']);
  workers.kill(static1);
  expect(await settle()).toEqual(['terminate in 30 1']);
  expect(await settle()).toEqual([]);
  workers.forget(new Set());
  expect(await settle()).toEqual(['terminate in 30 1']);
  workers.forget(new Set());
  expect(await settle()).toEqual(['terminate in 30 1', 'finish 1']);
  expect(workers.forget(new Set()).size).toBe(0);
});

test('a pod that only the runtime knows is terminated until it succeeds, and then forgotten immediately', async () => {
  const attempts = [refuse];
  const { workers, settle } = setup({ terminateRuntimePod: async () => attempts.pop()?.() });
  const listed: ListedPod = { uid: '1', name: 'web', namespace: 'default', sandboxes: [], containers: [] };
  workers.killRuntimePod(listed);
  expect(await settle()).toEqual(['terminate runtime pod 1']);
  expect(workers.state('1')).toBe('terminating');
  workers.forget(new Set());
  expect(await settle()).toEqual(['terminate runtime pod 1']);
  expect(workers.state('1')).toBeUndefined();
});

test('the containers of a pod that ended by itself have their own grace period; a deleted pod has at least one second', async () => {
  const pod = { ...aPod({ terminationGracePeriodSeconds: 0 }, { uid: '1' }) };
  const attempts = [refuse];
  const { workers, settle } = setup({
    syncPod: async () => ({ ended: true, changed: false }),
    terminatePod: async () => attempts.pop()?.(),
  });
  workers.create(pod);
  expect(await settle()).toEqual(['sync 1', 'terminate in undefined 1']);
  workers.update(pod);
  expect(await settle()).toEqual(['terminate in 1 1', 'finish 1']);
});

test('a later deletion can shorten the grace period, never extend it', async () => {
  const { clock, workers, settle } = setup({
    syncPod: async () => {
      await clock.sleep(1000);
      return { ended: false, changed: false };
    },
    terminatePod: refuse,
  });
  workers.create(static1);
  await settle();
  workers.update(deleted(static1, 20));
  workers.update(deleted(static1, 5));
  await clock.advance(1000);
  expect(await settle()).toEqual(['terminate in 5 1']);
  workers.update(deleted(static1, 10));
  expect(await settle()).toEqual(['terminate in 5 1']);
});

test('a static pod that is removed while it waits for a pod with the same name is never synced', async () => {
  const stopping = { done: () => {} };
  const { clock, workers, settle } = setup({
    terminatePod: () =>
      clock.idle(
        new Promise((resolve) => {
          stopping.done = resolve;
        }),
      ),
  });
  const static2 = aPod({}, { uid: '2' });
  workers.create(static1);
  await settle();
  workers.kill(static1);
  workers.create(static2);
  expect(await settle()).toEqual(['terminate in 30 1']);
  stopping.done();
  expect(await settle()).toEqual(['finish 1']);
  workers.kill(static2);
  expect(await settle()).toEqual([]);
  expect(workers.state('2')).toBe('terminated');
});

test('the content of a pod can be removed once it is deleted, not when it ended by itself', async () => {
  const attempts = [refuse];
  const { workers, settle } = setup({
    syncPod: async () => ({ ended: true, changed: false }),
    terminatePod: async () => attempts.pop()?.(),
  });
  workers.create(static1);
  expect(await settle()).toEqual(['sync 1', 'terminate in undefined 1']);
  workers.update(deleted(static1, 1));
  expect(await settle()).toEqual(['terminate in 1 1', 'finish 1']);
  expect(workers.isGone('1')).toBe(false);

  const other = setup();
  other.workers.create(static1);
  await other.settle();
  other.workers.update(deleted(static1, 1));
  expect(other.workers.isGone('1')).toBe(false);
  await other.settle();
  expect(other.workers.isGone('1')).toBe(true);
});

test('the end of a relist in which a pod was synced is not newer than this sync', async () => {
  const clock = createVirtualClock();
  const cache = createPodCache({ clock, refuseOlder: false, miss: 'wait' });
  const { workers, settle } = setup({}, clock, cache);
  const begun = cache.stamp();
  cache.set('1', emptyStatus('1'), undefined, begun);
  workers.create(static1);
  workers.begin();
  await clock.settle();
  workers.update(static1);
  workers.begin();
  await clock.settle();
  cache.updateTime(begun);
  expect(await settle()).toEqual(['sync 1']);
  cache.updateTime(cache.stamp());
  expect(await settle()).toEqual(['sync 1']);
});

test('the last status of a pod follows from what the API showed when the pod was deleted', async () => {
  const before: unknown[] = [];
  const { workers, settle, shown } = setup({
    terminatePod: async () => {
      shown.now = { ...statusOf({}), phase: 'Failed' };
    },
    finishPod: async (_pod, _status, given) => {
      before.push(given?.phase);
    },
  });
  workers.create(static1);
  await settle();
  shown.now = { ...statusOf({}), phase: 'Running' };
  workers.update(deleted(static1, 5));
  expect(await settle()).toEqual(['terminate in 5 1', 'finish 1']);
  expect(before).toEqual(['Running']);
});
