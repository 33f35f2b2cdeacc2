import type { PodCache } from '../pleg/cache.js';
import { errorText } from '../runtime/errors.js';
import type { ListedPod } from '../runtime/pods.js';
import type { Pod, Recorder, RuntimePodStatus } from '../types.js';
import { type RequeueOptions, requeueDelay, retryDelay } from './complete-work.js';
import { graceOf, type PodWorker } from './pod-worker.js';
import type { StaticPodStart } from './static-pod-start.js';
import type { WorkQueue } from './work-queue.js';

/** The three kinds of work of a pod worker. */
export interface PodSyncer {
  /** Resolves true when the pod has come to its end and is to be terminated. */
  syncPod(pod: Pod, status: RuntimePodStatus): Promise<boolean>;
  /** Stops the pod; `grace` in seconds. */
  terminatePod(pod: Pod, status: RuntimePodStatus, grace: number): Promise<void>;
  /** Stops what the runtime has of a pod that nobody asked for. */
  terminateRuntimePod(pod: ListedPod): Promise<void>;
  /** The last word, after everything has stopped. */
  finishPod(pod: Pod, status: RuntimePodStatus): Promise<void>;
}

export interface PodWorkerLoopOptions extends RequeueOptions {
  readonly cache: PodCache;
  readonly queue: WorkQueue;
  readonly recorder: Recorder;
  readonly syncer: PodSyncer;
  /** The pod has come to its end. */
  readonly finished: (pod: Pod) => void;
  readonly log: (message: string) => void;
}

/** podWorkerLoop: works until nothing is pending. Once `signal` is aborted nothing more is begun. */
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

  /** True when the worker's state changed, so that the last update is to be handled again. */
  const work = async (worker: PodWorker): Promise<boolean> => {
    const { pod, runtimePod } = worker;
    if (pod === undefined) {
      if (runtimePod !== undefined) await syncer.terminateRuntimePod(runtimePod);
      finish(worker);
      return false;
    }
    const state = worker.state;
    const status = await statusFor(worker, pod);
    if (signal.aborted) return false;
    let ended = false;
    try {
      if (state === 'terminated') await syncer.finishPod(pod, status);
      else if (state === 'terminating') await syncer.terminatePod(pod, status, graceOf(worker, pod));
      else ended = await syncer.syncPod(pod, status);
    } finally {
      worker.lastSync = after(status.timestamp, cache.stamp());
    }
    switch (state) {
      case 'terminated':
        finish(worker);
        return false;
      case 'terminating':
        worker.state = 'terminated';
        return true;
      case 'sync':
        if (ended && worker.state === 'sync') worker.state = 'terminating';
        return ended;
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

/** Runtimes give events of one instant timestamps that differ by nanoseconds (ns). */
const SAME_INSTANT = 1_000_000n;

/** A sync ends later than the status it went by was made, also where no time passes meanwhile. */
const after = (status: bigint, now: bigint): bigint =>
  status > now && status - now < SAME_INSTANT ? status : now;
