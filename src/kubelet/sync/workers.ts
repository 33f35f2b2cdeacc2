import type { ListedPod } from '../client/list-pods.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import { isTerminal } from '../status/phase.js';
import { effectiveGrace, fullNameOf, newPodWorker, type PodWorker, type WorkerState } from './pod-worker.js';
import { createPodWorkerLoop, type PodWorkerLoopOptions } from './pod-worker-loop.js';
import { createStaticPodStart } from './static-pod-start.js';

export interface PodWorkersOptions extends PodWorkerLoopOptions {
  /** UpdatePod cancels the pod's context because an update terminates it. A pod can also end by itself. */
  readonly ending: (uid: string) => void;
  readonly shown: (uid: string) => PodApiStatus | undefined;
  readonly allocated: (pod: Pod) => Pod;
}

export interface PodWorkers {
  update(pod: Pod): void;
  /** If an earlier pod with this uid is still ending, the new one starts afterwards. */
  create(pod: Pod): void;
  /** `grace` is in seconds. Later calls can shorten the grace period, never extend it. */
  kill(pod: Pod, grace?: number): void;
  killRuntimePod(pod: ListedPod): void;
  state(uid: string): WorkerState | undefined;
  readonly isIdle: boolean;
  /** ShouldPodContentBeRemoved: the pod is no longer wanted and has stopped completely. */
  isGone(uid: string): boolean;
  /**
   * SyncKnownPods: removes finished workers of pods that are no longer wanted, or are wanted again; returns the state
   * of the others. Unwanted pods that have not ended try again; nothing else triggers that.
   */
  forget(wanted: ReadonlySet<string>): ReadonlyMap<string, WorkerState>;
  /**
   * Starts the workers that have updates. Inputs that arrive together form one update: the sync loop handles all ready
   * inputs before a worker runs, like goroutines.
   */
  begin(): void;
  stop(): void;
}

export function createPodWorkers(options: PodWorkersOptions): PodWorkers {
  const workers = new Map<string, PodWorker>();
  const starts = createStaticPodStart();
  const stopped = new AbortController();
  const loop = createPodWorkerLoop(options, starts, stopped.signal);
  let woken: PodWorker[] = [];

  const workerOf = (uid: string, fullName: string): PodWorker => {
    let worker = workers.get(uid);
    if (worker === undefined) {
      worker = newPodWorker(uid, fullName);
      workers.set(uid, worker);
    }
    return worker;
  };

  const signal = (worker: PodWorker): void => {
    worker.pending = true;
    if (worker.working || stopped.signal.aborted) return;
    worker.working = true;
    woken.push(worker);
  };

  const deliver = (pod: Pod, kill: boolean, grace?: number): void => {
    const isNew = !workers.has(pod.metadata.uid);
    const worker = workerOf(pod.metadata.uid, fullNameOf(pod));
    if (worker.finished) return;
    worker.pod = options.allocated(pod);
    worker.shown = options.shown(worker.uid);
    // It ended under an earlier kubelet, so none of its containers may start (UpdatePod, "Pod is already terminated").
    if (isNew && isTerminal(pod.status?.phase)) worker.state = 'terminating';
    const isDeleted = pod.metadata.deletionTimestamp !== undefined;
    if (worker.state === 'sync' && (isDeleted || kill)) {
      worker.state = 'terminating';
      worker.deleted = isDeleted;
      options.ending(worker.uid);
    }
    if (grace !== undefined) worker.grace = Math.min(worker.grace ?? grace, grace);
    if (worker.state === 'terminating') worker.grace = effectiveGrace(worker, pod);
    signal(worker);
  };
  const update = (pod: Pod): void => deliver(pod, false);

  /** A pod that only the runtime knew leaves no worker (completeTerminatingRuntimePod). */
  const run = async (worker: PodWorker): Promise<void> => {
    await loop(worker);
    if (worker.finished && worker.pod === undefined) workers.delete(worker.uid);
  };

  return {
    update,
    create: (pod) => {
      const worker = workers.get(pod.metadata.uid);
      if (worker === undefined || worker.state === 'sync') update(pod);
      else worker.wantedAgain = true;
    },
    kill: (pod, grace) => deliver(pod, true, grace),
    killRuntimePod: (pod) => {
      const worker = workerOf(pod.uid, `${pod.name}_${pod.namespace}`);
      if (worker.finished || worker.pod !== undefined) return;
      worker.runtimePod = pod;
      worker.deleted = true;
      worker.state = 'terminating';
      signal(worker);
    },
    state: (uid) => workers.get(uid)?.state,
    get isIdle() {
      return [...workers.values()].every(({ working }) => !working);
    },
    isGone: (uid) => {
      const worker = workers.get(uid);
      return worker?.deleted === true && worker.state === 'terminated';
    },
    forget: (wanted) => {
      for (const [uid, worker] of workers) {
        const isOrphan = !wanted.has(uid);
        if (worker.finished ? isOrphan || worker.wantedAgain : isOrphan && !worker.started) {
          starts.release(worker);
          workers.delete(uid);
        } else if (isOrphan) {
          worker.deleted = true;
          signal(worker);
        }
      }
      return new Map([...workers].map(([uid, { state }]) => [uid, state]));
    },
    begin: () => {
      const ready = woken;
      woken = [];
      for (const worker of ready) void options.clock.run(() => run(worker));
    },
    stop: () => stopped.abort(),
  };
}
