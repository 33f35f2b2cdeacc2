import { createLimiter } from '../../base/input/limiter.js';
import type { Rejection } from '../admission/rejection.js';
import { errorText } from '../client/errors.js';
import { type ListedPod, listPods } from '../client/list-pods.js';
import type { OrphanedPods } from '../kubelet-options.js';
import type { Pod } from '../kubernetes/pod.js';
import { knownStatus, type PodCache } from '../pleg/cache.js';
import type { Resizing } from '../resize/resizing.js';
import type { RuntimeContext } from '../runtime/context.js';
import { deadContainersToRemove, removeContainer } from '../runtime/gc.js';
import { isTerminal } from '../status/phase.js';
import type { ProbeManager } from '../types/ports.js';
import type { LoopHandlers } from './loop.js';
import type { PodStatuses } from './pod-statuses.js';
import type { PodWorkers } from './workers.js';

export interface HandlersOptions {
  readonly runtime: RuntimeContext;
  /** Wanted pods by uid; the handlers maintain it. */
  readonly pods: Map<string, Pod>;
  readonly workers: Omit<PodWorkers, 'isIdle' | 'stop'>;
  readonly statuses: Pick<PodStatuses, 'get' | 'keep' | 'setProbed' | 'showAgain'>;
  readonly probes: Pick<ProbeManager, 'cleanUp'>;
  readonly cache: Pick<PodCache, 'get'>;
  readonly resizing: Pick<Resizing, 'admit' | 'added' | 'changed' | 'removed' | 'retry' | 'keep'>;
  readonly reject: (pod: Pod, rejection: Rejection) => void;
  readonly log: (message: string) => void;
  readonly orphanedPods?: OrphanedPods;
}

export interface Handlers extends LoopHandlers {
  /** ShouldPodContentBeRemoved: the pod is unknown, or it is no longer wanted and has stopped completely. */
  isUnwanted(uid: string): boolean;
  activePods(other: Pod): readonly Pod[];
}

/** Handles pod additions and removals, PLEG events, due syncs and probe results (kubelet.go). */
export function createHandlers(options: HandlersOptions): Handlers {
  const { pods, workers, statuses, reject, resizing, orphanedPods = {} } = options;

  /** Neither wanted nor in a worker. Never before the first housekeeping, because pods may not have arrived yet. */
  const isUnknown = (uid: string): boolean =>
    !orphanedPods.keep && cleanups.haveRun && !pods.has(uid) && workers.state(uid) === undefined;
  const isUnwanted = (uid: string): boolean => isUnknown(uid) || workers.isGone(uid);

  const add = (pod: Pod): boolean => {
    const known = pods.get(pod.metadata.uid);
    if (known === pod) return false;
    pods.set(pod.metadata.uid, pod);
    // A deletion changes the published pod before its status.
    statuses.showAgain(pod);
    if (known !== undefined) {
      resizing.changed(known, pod);
      workers.update(pod);
      return false;
    }
    if (!mayRun(pod)) {
      workers.create(pod);
      return false;
    }
    const rejection = resizing.admit(pod);
    if (rejection !== undefined) {
      reject(pod, rejection);
      return false;
    }
    workers.create(pod);
    return true;
  };

  /** HandlePodAdditions does not check pods that have ended or are ending. */
  const mayRun = ({ metadata, status }: Pod): boolean =>
    metadata.deletionTimestamp === undefined && !isTerminal(status?.phase);

  const activePods = (other: Pod): Pod[] =>
    [...pods.values()].filter(
      (pod) =>
        pod !== other &&
        isActive(pod.metadata.uid) &&
        !isTerminal(pod.status?.phase) &&
        workers.state(pod.metadata.uid) !== 'terminated',
    );

  const remove = (uid: string, pod: Pod): void => {
    pods.delete(uid);
    resizing.removed(uid);
    workers.kill(pod);
  };

  /** filterOutInactivePods: a pod that has ended does not restart, even if it is wanted again. */
  const isActive = (uid: string): boolean => !isTerminal(statuses.get(uid)?.phase);
  const cleanups = createCleanups(options, isActive);
  const removeOlder = createDeletor(options, isUnwanted);

  return {
    isUnwanted,
    activePods,

    configChanged: (wanted) => {
      const uids = new Set(wanted.map(({ metadata }) => metadata.uid));
      const gone = [...pods].filter(([uid]) => !uids.has(uid));
      for (const [uid, pod] of gone) remove(uid, pod);
      if (gone.length > 0) resizing.retry();
      resizing.added(wanted.filter(add));
    },

    podEvent: ({ uid, type, data }) => {
      const pod = pods.get(uid);
      if (type !== 'ContainerRemoved' && pod !== undefined) workers.update(pod);
      if (type === 'ContainerDied') removeOlder(uid, data);
    },

    workDue: (uids) => {
      const due = new Set(uids);
      for (const [uid, pod] of pods) if (due.has(uid)) workers.update(pod);
    },

    probeUpdate: ({ kind, uid, containerId, result }) => {
      const pod = pods.get(uid);
      if (pod === undefined) return;
      if (kind === 'liveness' && result !== 'failure') return;
      statuses.setProbed(pod, kind, containerId, result === 'success');
      workers.update(pod);
    },

    drained: () => workers.begin(),

    housekeeping: cleanups.run,
  };
}

/** HandlePodCleanups: reconciles workers, probes and statuses with the wanted pods and with those in the runtime. */
function createCleanups(options: HandlersOptions, isActive: (uid: string) => boolean) {
  const { runtime, pods, workers, statuses, probes, resizing, log, orphanedPods = {} } = options;
  let haveRun = false;

  const run = async (): Promise<void> => {
    const wanted = new Set(pods.keys());
    const states = workers.forget(wanted);
    haveRun = true;
    const running = await listPods(runtime.client, 'running').catch((error: unknown) =>
      log(`Failed cleaning pods: ${errorText(error)}`),
    );
    if (running === undefined) return;
    probes.cleanUp(new Set([...states].flatMap(([uid, state]) => (state === 'terminated' ? [] : uid))));
    statuses.keep(wanted, states);
    resizing.keep({ has: (uid) => wanted.has(uid) || states.has(uid) });
    for (const [uid, pod] of pods) if (!states.has(uid) && isActive(uid)) workers.create(pod);
    for (const [uid, listed] of running) if (!states.has(uid)) stopOrphaned(uid, listed);
    runtime.crashBackOff.gc();
  };
  const stopOrphaned = (uid: string, listed: ListedPod): void => {
    if (orphanedPods.keep || workers.state(uid) !== undefined) return;
    orphanedPods.onStop?.(listed);
    log(`Clean up containers for orphaned pod we had not seen before podUID=${uid}`);
    workers.killRuntimePod(listed);
  };
  return {
    run,
    get haveRun() {
      return haveRun;
    },
  };
}

function createDeletor(
  { runtime, cache, log }: HandlersOptions,
  isUnwanted: (uid: string) => boolean,
): (uid: string, diedId: string) => void {
  const { clock } = runtime;
  const inTurn = createLimiter(1, clock.idle);
  /** pod_container_deletor.go: a dying container removes the older dead ones of its name one after another. */
  return (uid, diedId) => {
    const status = knownStatus(cache, uid);
    if (status === undefined) return;
    for (const id of deadContainersToRemove(diedId, status, isUnwanted(uid)))
      void clock.run(() =>
        inTurn(() => removeContainer(runtime, id)).catch((error: unknown) =>
          log(`DeleteContainer returned error containerID=${id} err=${JSON.stringify(errorText(error))}`),
        ),
      );
  };
}
