import type { Clock } from '../../base/clock/clock.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodCondition } from '../kubernetes/pod-status.js';

type Kind = 'PodResizePending' | 'PodResizeInProgress';

/** Resize conditions of each pod (status_manager.go). The kubelet holds them until the status shows them. */
export interface ResizeConditions {
  /** Pending comes first. */
  of(uid: string): readonly PodCondition[];
  pending(uid: string): PodCondition | undefined;
  /** Returns true if the reason or the generation changed. Every reason except Infeasible is shown as Deferred. */
  setPending(pod: Pod, reason: string, message: string): boolean;
  /** An existing condition keeps its generation, and its reason and message if none are given. */
  setInProgress(pod: Pod, reason?: string, message?: string): { generation: number; changed: boolean };
  clearPending(uid: string): void;
  /** Returns the generation of the cleared condition; undefined if there was none. */
  clearInProgress(uid: string): number | undefined;
  clear(uid: string): void;
  /** A restarted kubelet continues with what the API shows. */
  backfill(pod: Pod): void;
  keep(uids: { has(uid: string): boolean }): void;
}

export function createResizeConditions(clock: Clock): ResizeConditions {
  const kept = new Map<string, Partial<Record<Kind, PodCondition>>>();
  const set = (
    uid: string,
    type: Kind,
    reason: string,
    message: string,
    generation: number,
    old: PodCondition | undefined,
  ) => {
    const now = clock.now();
    const same = old !== undefined && (old.reason ?? '') === reason;
    const made: PodCondition = {
      type,
      status: 'True',
      ...(reason !== '' && { reason }),
      ...(message !== '' && { message }),
      lastProbeTime: now,
      lastTransitionTime: same ? old.lastTransitionTime : now,
      observedGeneration: generation,
    };
    kept.set(uid, { ...kept.get(uid), [type]: made });
    return made;
  };
  const clear = (uid: string, type: Kind): PodCondition | undefined => {
    const { [type]: cleared, ...rest } = kept.get(uid) ?? {};
    if (Object.keys(rest).length > 0) kept.set(uid, rest);
    else kept.delete(uid);
    return cleared;
  };
  return {
    of: (uid) => {
      const { PodResizePending: pending, PodResizeInProgress: inProgress } = kept.get(uid) ?? {};
      return [pending, inProgress].filter((condition) => condition !== undefined);
    },
    pending: (uid) => kept.get(uid)?.PodResizePending,
    setPending: ({ metadata: { uid, generation = 0 } }, given, message) => {
      const reason = given === 'Infeasible' ? given : 'Deferred';
      const old = kept.get(uid)?.PodResizePending;
      set(uid, 'PodResizePending', reason, message, generation, old);
      return old?.reason !== reason || old.observedGeneration !== generation;
    },
    setInProgress: ({ metadata }, reason = '', message = '') => {
      const { uid } = metadata;
      const old = kept.get(uid)?.PodResizeInProgress;
      const generation = old?.observedGeneration ?? metadata.generation ?? 0;
      const isGiven = reason !== '' || message !== '';
      const [why, what] = isGiven ? [reason, message] : [old?.reason ?? '', old?.message ?? ''];
      set(uid, 'PodResizeInProgress', why, what, generation, old);
      const changed = old === undefined || (old.reason ?? '') !== why || (old.message ?? '') !== what;
      return { generation, changed };
    },
    clearPending: (uid) => {
      clear(uid, 'PodResizePending');
    },
    clearInProgress: (uid) => clear(uid, 'PodResizeInProgress')?.observedGeneration,
    clear: (uid) => {
      kept.delete(uid);
    },
    backfill: ({ metadata: { uid }, status }) => {
      for (const { type, reason, message, observedGeneration } of status?.conditions ?? []) {
        if (type !== 'PodResizePending' && type !== 'PodResizeInProgress') continue;
        set(uid, type, reason ?? '', message ?? '', observedGeneration ?? 0, undefined);
      }
    },
    keep: (uids) => {
      for (const uid of kept.keys()) if (!uids.has(uid)) kept.delete(uid);
    },
  };
}
