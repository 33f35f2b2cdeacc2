import type { Clock } from '../../clock/clock.js';
import { jitter, type Random } from '../../clock/random.js';
import type { PodCache } from '../pleg/cache.js';
import { errorText } from '../runtime/errors.js';
import type { ListedPod } from '../runtime/pods.js';
import { SyncError } from '../runtime/results.js';
import type { Pod, Recorder, RuntimePodStatus, VersionProfile } from '../types.js';
import type { WorkQueue } from './work-queue.js';

/** Delay after a failed sync, ms (kubelet.go backOffPeriod), and after one that found the network not ready. */
const BACK_OFF_PERIOD = 10_000;
const NETWORK_NOT_READY_PERIOD = 1000;
const JITTER = 0.5;
/** ≥ 1.35: a sync that waits for a back-off waits at most this long in one go (ms). */
const LONGEST_SLICE = 60_000;

export interface Synced {
  /** The pod has come to its end and is to be terminated. */
  readonly ended: boolean;
  /** Something was done in the runtime: what has become of it is looked up as soon as the sync is over. */
  readonly changed: boolean;
}

/** The three kinds of work of a pod worker. */
export interface PodSyncer {
  syncPod(pod: Pod, status: RuntimePodStatus): Promise<Synced>;
  /** Stops the pod; `grace` in seconds. */
  terminatePod(pod: Pod, status: RuntimePodStatus, grace: number): Promise<void>;
  /** Stops what the runtime has of a pod that nobody asked for. */
  terminateRuntimePod(pod: ListedPod): Promise<void>;
  /** The last word, after everything has stopped. */
  finishPod(pod: Pod, status: RuntimePodStatus): Promise<void>;
}

export interface PodWorkersOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly cache: PodCache;
  readonly queue: WorkQueue;
  readonly recorder: Recorder;
  readonly profile: VersionProfile;
  readonly syncer: PodSyncer;
  /** The pod has come to its end. */
  readonly finished: (pod: Pod) => void;
  /** Looks at one pod in the runtime, where the kubelet's version does so. */
  readonly requestRelist: (uid: string) => void;
  /** The pod was told to end (UpdatePod cancels its context). It may also come to its end of itself. */
  readonly ending: (uid: string) => void;
  /** ms; a successful sync is repeated after 1 to 1.5 times this. */
  readonly syncFrequency: number;
  readonly log: (message: string) => void;
}

export type WorkerState = 'sync' | 'terminating' | 'terminated';

/** One worker a pod; it has at most one update waiting (pod_workers.go). */
export interface PodWorkers {
  update(pod: Pod): void;
  /** A pod that is new to the kubelet. If it still ends an earlier life with this uid, another begins afterwards. */
  create(pod: Pod): void;
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

interface Worker {
  readonly uid: string;
  readonly fullName: string;
  pod: Pod | undefined;
  runtimePod: ListedPod | undefined;
  state: WorkerState;
  finished: boolean;
  /** The same pod came back while it was stopped, as a static pod does whose manifest returns. */
  wantedAgain: boolean;
  /** Nobody wants the pod any more. */
  orphaned: boolean;
  started: boolean;
  working: boolean;
  pending: boolean;
  grace: number | undefined;
  lastSync: bigint;
}

export function createPodWorkers(options: PodWorkersOptions): PodWorkers {
  const { clock, random, cache, queue, recorder, profile, syncer, syncFrequency, log } = options;
  const workers = new Map<string, Worker>();
  let woken: Worker[] = [];
  /** Full names of static pods that run: another pod of that name has to wait. */
  const running = new Map<string, string>();
  let stopped = false;

  const workerOf = (uid: string, fullName: string): Worker => {
    let worker = workers.get(uid);
    if (worker === undefined) {
      worker = {
        uid,
        fullName,
        pod: undefined,
        runtimePod: undefined,
        state: 'sync',
        finished: false,
        wantedAgain: false,
        orphaned: false,
        started: false,
        working: false,
        pending: false,
        grace: undefined,
        lastSync: 0n,
      };
      workers.set(uid, worker);
    }
    return worker;
  };

  const signal = (worker: Worker): void => {
    worker.pending = true;
    if (worker.working || stopped) return;
    worker.working = true;
    woken.push(worker);
  };

  const loop = async (worker: Worker): Promise<void> => {
    try {
      while (worker.pending && !worker.finished && !stopped) {
        worker.pending = false;
        if (!mayStart(worker)) {
          queue.enqueue(worker.uid, jitter(random, BACK_OFF_PERIOD, JITTER));
          break;
        }
        await iterate(worker);
      }
    } finally {
      worker.working = false;
    }
  };

  /** Static pods of one full name run one after the other. */
  const mayStart = (worker: Worker): boolean => {
    if (worker.started || worker.pod?.source !== 'file') return true;
    const holder = running.get(worker.fullName);
    if (holder !== undefined && holder !== worker.uid) return false;
    running.set(worker.fullName, worker.uid);
    return true;
  };

  const iterate = async (worker: Worker): Promise<void> => {
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
    if (stopped) return;
    if (transition) worker.pending = true;
    if (!worker.finished) queue.enqueue(worker.uid, transition ? 0 : requeueDelay(failure));
  };

  /** True when the worker's state changed, so that the last update is to be handled again. */
  const work = async (worker: Worker): Promise<boolean> => {
    const { pod, runtimePod } = worker;
    if (pod === undefined) {
      if (runtimePod !== undefined) await syncer.terminateRuntimePod(runtimePod);
      finish(worker);
      return false;
    }
    const state = worker.state;
    const status = await statusFor(worker, pod);
    const heldUntil = cache.heldUntil(worker.uid);
    if (stopped) return false;
    let synced: Synced = { ended: false, changed: false };
    try {
      if (state === 'terminated') await syncer.finishPod(pod, status);
      else if (state === 'terminating') await syncer.terminatePod(pod, status, graceOf(worker, pod));
      else synced = await syncer.syncPod(pod, status);
    } finally {
      worker.lastSync = after(heldUntil, clock.now());
    }
    // Only now, so that what is found is newer than this sync.
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

  const statusFor = async (worker: Worker, pod: Pod): Promise<RuntimePodStatus> => {
    try {
      return await cache.getNewerThan(worker.uid, worker.lastSync);
    } catch (error) {
      recorder.event(pod, 'Warning', 'FailedSync', `error determining status: ${errorText(error)}`);
      throw error;
    }
  };

  const finish = (worker: Worker): void => {
    worker.finished = true;
    worker.state = 'terminated';
    if (running.get(worker.fullName) === worker.uid) running.delete(worker.fullName);
    if (worker.pod !== undefined) options.finished(worker.pod);
  };

  /** completeWork. */
  const requeueDelay = (failure: unknown): number => {
    if (failure === undefined) return jitter(random, syncFrequency, JITTER);
    if (errorText(failure).includes('network is not ready')) {
      return jitter(random, NETWORK_NOT_READY_PERIOD, JITTER);
    }
    const expires = failure instanceof SyncError ? failure.backOffExpires : undefined;
    if (profile.requeue === 'fixed' || expires === undefined) return jitter(random, BACK_OFF_PERIOD, JITTER);
    const left = Number(expires - clock.now()) / 1e6;
    return jitter(random, Math.min(Math.max(left, 0), LONGEST_SLICE), JITTER);
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
          if (running.get(worker.fullName) === uid) running.delete(worker.fullName);
          workers.delete(uid);
        }
      }
      return new Map([...workers].map(([uid, { state }]) => [uid, state]));
    },
    begin: () => {
      const ready = woken;
      woken = [];
      for (const worker of ready) void clock.run(() => loop(worker));
    },
    stop: () => {
      stopped = true;
    },
  };
}

/** What comes one after the other in one instant of virtual time has timestamps that differ by nanoseconds (ns). */
const SAME_INSTANT = 1_000_000n;

/**
 * When a sync ended: later than that until which the status it went by was known to hold, also where no time passes
 * meanwhile. Otherwise the same status would do for one sync after the other.
 */
const after = (heldUntil: bigint, now: bigint): bigint =>
  heldUntil > now && heldUntil - now < SAME_INSTANT ? heldUntil : now;

const fullNameOf = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}`;

/** calculateEffectiveGracePeriod: what was asked for, else the pod's own; at least a second. */
function graceOf({ grace }: Worker, { spec }: Pod): number {
  return Math.max(1, grace ?? spec.terminationGracePeriodSeconds);
}
