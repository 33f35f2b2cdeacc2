import { errorText } from '../client/errors.js';
import type { ListedPod } from '../client/list-pods.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { PodCache } from '../pleg/cache.js';
import type { Recorder } from '../types/ports.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import { type RequeueOptions, requeueDelay, retryDelay } from './complete-work.js';
import type { PodWorker } from './pod-worker.js';
import type { StaticPodStart } from './static-pod-start.js';
import type { WorkQueue } from './work-queue.js';

export interface Synced {
  readonly ended: boolean;
  /** The sync changed something in the runtime: a relist follows immediately. */
  readonly changed: boolean;
}

export interface PodSyncer {
  syncPod(pod: Pod, status: RuntimePodStatus): Promise<Synced>;
  /** `grace` is in seconds; if undefined, each container has its own. */
  terminatePod(pod: Pod, status: RuntimePodStatus, grace: number | undefined): Promise<void>;
  terminateRuntimePod(pod: ListedPod): Promise<void>;
  /** The final status, after all containers have stopped. `before` is what the API showed at the pod's last update. */
  finishPod(pod: Pod, status: RuntimePodStatus, before: PodApiStatus | undefined): Promise<void>;
}

export interface PodWorkerLoopOptions extends RequeueOptions {
  readonly cache: PodCache;
  readonly queue: WorkQueue;
  readonly recorder: Recorder;
  readonly syncer: PodSyncer;
  readonly finished: (pod: Pod) => void;
  /** Ignored by kubelet versions that do not support it. */
  readonly requestRelist: (uid: string) => void;
  readonly log: (message: string) => void;
}

/** podWorkerLoop: works until nothing is pending. Starts no new work once `signal` is aborted. */
export function createPodWorkerLoop(
  options: PodWorkerLoopOptions,
  starts: StaticPodStart,
  signal: AbortSignal,
): (worker: PodWorker) => Promise<void> {
  const { random, cache, queue, recorder, syncer, log } = options;

  const iterate = async (worker: PodWorker): Promise<void> => {
    worker.started = true;
    let transition = false;
    let failure: unknown;
    try {
      transition = await work(worker);
    } catch (error) {
      failure = error;
      const { name = worker.uid, namespace = '' } = worker.pod?.metadata ?? worker.runtimePod ?? {};
      log(`Error syncing pod, skipping: ${errorText(error)} pod="${namespace}/${name}"`);
    }
    if (signal.aborted) return;
    if (transition) worker.pending = true;
    if (!worker.finished) queue.enqueue(worker.uid, transition ? 0 : requeueDelay(options, failure));
  };

  /** Returns true when the worker's state changed, so that the last update must be handled again. */
  const work = async (worker: PodWorker): Promise<boolean> => {
    const { pod, runtimePod, state, grace, shown } = worker;
    if (pod === undefined) {
      if (runtimePod !== undefined) await syncer.terminateRuntimePod(runtimePod);
      finish(worker);
      return false;
    }
    const status = await statusFor(worker, pod);
    const held = cache.heldUntil(worker.uid);
    if (signal.aborted) return false;
    let synced: Synced = { ended: false, changed: false };
    try {
      if (state === 'terminated') await syncer.finishPod(pod, status, shown);
      else if (state === 'terminating') await syncer.terminatePod(pod, status, grace);
      else synced = await syncer.syncPod(pod, status);
    } finally {
      worker.lastSync = cache.endOfSync(held);
    }
    // Requests the relist only now, so that the inspection is newer than this sync.
    if (synced.changed) options.requestRelist(worker.uid);
    switch (state) {
      case 'terminated':
        finish(worker);
        return false;
      case 'terminating':
        worker.state = 'terminated';
        return true;
      case 'sync':
        if (synced.ended && worker.state === 'sync') worker.state = 'terminating';
        return synced.ended;
    }
  };

  const statusFor = async (worker: PodWorker, pod: Pod): Promise<RuntimePodStatus> => {
    try {
      return await cache.getNewerThan(worker.uid, worker.lastSync);
    } catch (error) {
      recorder.event(pod, 'Warning', 'FailedSync', `error determining status: ${errorText(error)}`);
      throw error;
    }
  };

  const finish = (worker: PodWorker): void => {
    worker.finished = true;
    worker.state = 'terminated';
    starts.release(worker);
    if (worker.pod !== undefined) options.finished(worker.pod);
  };

  return async (worker) => {
    try {
      while (worker.pending && !worker.finished && !signal.aborted) {
        worker.pending = false;
        if (neverStarts(worker)) {
          finish(worker);
          break;
        }
        if (!starts.allow(worker)) {
          queue.enqueue(worker.uid, retryDelay(random));
          break;
        }
        await iterate(worker);
      }
    } finally {
      worker.working = false;
    }
  };
}

/** allowPodStart: a static pod that must end before it could start is finished without a sync. */
const neverStarts = ({ started, pod, state }: PodWorker): boolean =>
  !started && pod?.source === 'file' && state !== 'sync';
