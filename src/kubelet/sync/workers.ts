import type { ListedPod } from '../runtime/list-pods.js';
import type { Pod } from '../types.js';
import { effectiveGrace, fullNameOf, newPodWorker, type PodWorker, type WorkerState } from './pod-worker.js';
import { createPodWorkerLoop, type PodWorkerLoopOptions } from './pod-worker-loop.js';
import { createStaticPodStart } from './static-pod-start.js';

/** What the workers share. */
export interface PodWorkersOptions extends PodWorkerLoopOptions {
  /** The pod was told to end (UpdatePod cancels its context). It may also come to its end of itself. */
  readonly ending: (uid: string) => void;
}

/** One worker a pod; it has at most one update waiting (pod_workers.go). */
export interface PodWorkers {
  update(pod: Pod): void;
  /** A pod that is new to the kubelet. If it still ends an earlier life with this uid, another begins afterwards. */
  create(pod: Pod): void;
  /** Ends a pod. Its time to end may get shorter with every update, and never longer. */
  kill(pod: Pod): void;
  /** Ends a pod that only the runtime knows. */
  killRuntimePod(pod: ListedPod): void;
  state(uid: string): WorkerState | undefined;
  /** The pod is not wanted any more, and all of it has stopped (ShouldPodContentBeRemoved). */
  isGone(uid: string): boolean;
  /**
   * SyncKnownPods: forgets finished workers of pods that are not wanted any more, or wanted anew; answers the state of
   * the others. Those that nobody wants and that have not ended try again, which nobody else asks of them.
   */
  forget(wanted: ReadonlySet<string>): ReadonlyMap<string, WorkerState>;
  /**
   * Lets those work that an update woke. What comes in together is one update: the sync loop handles all that is ready
   * before a worker gets to run, as with goroutines.
   */
  begin(): void;
  /** No new work is begun after this. */
  stop(): void;
}

/** No workers at first: an update makes one for its pod. They sync one pod each, all of them at the same time. */
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

  const deliver = (pod: Pod, kill: boolean): void => {
    const worker = workerOf(pod.metadata.uid, fullNameOf(pod));
    if (worker.finished) return;
    worker.pod = pod;
    const isDeleted = pod.metadata.deletionTimestamp !== undefined;
    if (worker.state === 'sync' && (isDeleted || kill)) {
      worker.state = 'terminating';
      worker.deleted = isDeleted;
      options.ending(worker.uid);
    }
    if (worker.state === 'terminating') worker.grace = effectiveGrace(worker, pod);
    signal(worker);
  };
  const update = (pod: Pod): void => deliver(pod, false);

  /** A pod that only the runtime knew leaves nothing behind (completeTerminatingRuntimePod). */
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
    kill: (pod) => deliver(pod, true),
    killRuntimePod: (pod) => {
      const worker = workerOf(pod.uid, `${pod.name}_${pod.namespace}`);
      if (worker.finished || worker.pod !== undefined) return;
      worker.runtimePod = pod;
      worker.deleted = true;
      worker.state = 'terminating';
      signal(worker);
    },
    state: (uid) => workers.get(uid)?.state,
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
