import type { ListedPod } from '../runtime/pods.js';
import type { Pod } from '../types.js';
import { fullNameOf, newPodWorker, type PodWorker, type WorkerState } from './pod-worker.js';
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
  /** Ends a pod; `grace` in seconds. Of several the shortest counts, and it is never prolonged. */
  kill(pod: Pod, grace?: number): void;
  /** Ends a pod that only the runtime knows. */
  killRuntimePod(pod: ListedPod): void;
  state(uid: string): WorkerState | undefined;
  /** The pod is not wanted any more, and all of it has stopped (ShouldPodContentBeRemoved). */
  isGone(uid: string): boolean;
  /**
   * Forgets finished workers of pods that are not wanted any more, or wanted anew; answers the state of the others.
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

  const update = (pod: Pod): void => {
    const worker = workerOf(pod.metadata.uid, fullNameOf(pod));
    if (worker.finished) return;
    worker.pod = pod;
    if (pod.metadata.deletionTimestamp !== undefined && worker.state === 'sync') {
      worker.state = 'terminating';
      worker.grace = pod.metadata.deletionGracePeriodSeconds;
      options.ending(worker.uid);
    }
    signal(worker);
  };

  return {
    update,
    create: (pod) => {
      const worker = workers.get(pod.metadata.uid);
      if (worker === undefined || worker.state === 'sync') update(pod);
      else worker.wantedAgain = true;
    },
    kill: (pod, grace) => {
      const worker = workerOf(pod.metadata.uid, fullNameOf(pod));
      if (worker.finished) return;
      worker.pod = pod;
      if (worker.state === 'sync') {
        worker.state = 'terminating';
        options.ending(worker.uid);
      }
      if (grace !== undefined) worker.grace = Math.min(worker.grace ?? grace, grace);
      signal(worker);
    },
    killRuntimePod: (pod) => {
      const worker = workerOf(pod.uid, `${pod.name}_${pod.namespace}`);
      if (worker.finished || worker.pod !== undefined) return;
      worker.runtimePod = pod;
      worker.state = 'terminating';
      signal(worker);
    },
    state: (uid) => workers.get(uid)?.state,
    isGone: (uid) => {
      const worker = workers.get(uid);
      const isDeleted = worker?.orphaned || worker?.pod?.metadata.deletionTimestamp !== undefined;
      return isDeleted && worker?.state === 'terminated';
    },
    forget: (wanted) => {
      for (const [uid, worker] of workers) {
        if (wanted.has(uid) && !worker.wantedAgain) continue;
        worker.orphaned = !wanted.has(uid);
        if (worker.finished || !worker.started) {
          starts.release(worker);
          workers.delete(uid);
        }
      }
      return new Map([...workers].map(([uid, { state }]) => [uid, state]));
    },
    begin: () => {
      const ready = woken;
      woken = [];
      for (const worker of ready) void options.clock.run(() => loop(worker));
    },
    stop: () => stopped.abort(),
  };
}
