import type { Clock } from '../../base/clock/clock.js';
import { append } from '../../base/input/group-by.js';
import { PodSandboxState } from '../../cri/gen/runtime/v1/api.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';

/** The last known status of every pod (kubelet container/cache.go). Times are in Unix nanoseconds. */
export interface PodCache {
  /** Undefined for an unknown pod. Throws the error of the last inspection if it failed. */
  get(uid: string): RuntimePodStatus | undefined;
  /** GetNewerThan: waits for a status valid after `since`. Throws the error of the last inspection if it failed. */
  getNewerThan(uid: string, since: bigint): Promise<RuntimePodStatus>;
  /** Latest time at which the pod's cached status is known to be valid. */
  heldUntil(uid: string): bigint;
  /** Timestamp for an inspection. Strictly increasing, even within one virtual instant. */
  stamp(): bigint;
  /** End time of a sync whose status was valid until `held`. The next sync waits for a later status. */
  endOfSync(held: bigint): bigint;
  /** Returns false if the status is older than the cached one and therefore refused. Only the evented PLEG refuses. */
  set(uid: string, status: RuntimePodStatus | undefined, error: unknown, timestamp: bigint): boolean;
  remove(uid: string): void;
  updateTime(timestamp: bigint): void;
  /** Marks this pod's cached status as valid at this time (≥ 1.36). */
  setObservedTime(uid: string, timestamp: bigint): void;
}

export interface PodCacheOptions {
  readonly clock: Clock;
  /** With the evented PLEG: `set` refuses a status that is older than the cached one. */
  readonly refuseOlder: boolean;
  /** Statuses carry times of the runtime, which are unordered within an instant of virtual time. */
  readonly hasRuntimeTimes?: boolean;
  /** `empty`: returns an empty status for an unknown pod without waiting (≤ 1.28). */
  readonly miss: 'empty' | 'wait';
}

interface Entry {
  readonly status: RuntimePodStatus | undefined;
  readonly error: unknown;
  readonly modified: bigint;
  observed: bigint;
}

interface Waiter {
  readonly since: bigint;
  readonly wake: () => void;
}

/** kubelet container/cache.go NewCache. A waiting reader does not hold up virtual time. */
export function createPodCache({
  clock,
  refuseOlder,
  hasRuntimeTimes = false,
  miss,
}: PodCacheOptions): PodCache {
  const entries = new Map<string, Entry>();
  const waiters = new Map<string, Waiter[]>();
  let global = 0n;
  let lastStamp = 0n;

  const read = (uid: string): RuntimePodStatus => {
    const entry = entries.get(uid);
    if (entry?.error !== undefined) throw entry.error;
    return entry?.status ?? emptyStatus(uid);
  };

  const heldUntil = (uid: string): bigint => {
    const entry = entries.get(uid);
    const own = entry === undefined ? 0n : later(entry.modified, entry.observed);
    return later(own, global);
  };

  const isFresh = (uid: string, since: bigint): boolean =>
    (miss === 'empty' && !entries.has(uid)) || heldUntil(uid) > since;

  /** Wakes readers that waited for a status no newer than this; an equal time is enough here. */
  const notify = (uid: string, timestamp: bigint): void => {
    const waiting = waiters.get(uid);
    if (waiting === undefined) return;
    const left = waiting.filter(({ since, wake }) => {
      if (timestamp < since) return true;
      wake();
      return false;
    });
    if (left.length > 0) waiters.set(uid, left);
    else waiters.delete(uid);
  };

  const stamp = (): bigint => {
    const now = clock.now();
    lastStamp = now > lastStamp ? now : lastStamp + 1n;
    return lastStamp;
  };

  return {
    stamp,
    endOfSync: (held) => (hasRuntimeTimes ? after(held, clock.now()) : stamp()),
    heldUntil,
    get: (uid) => (entries.has(uid) ? read(uid) : undefined),
    getNewerThan: async (uid, since) => {
      if (!isFresh(uid, since)) {
        await clock.idle(new Promise<void>((wake) => append(waiters, uid, { since, wake })));
      }
      return read(uid);
    },
    set: (uid, status, error, timestamp) => {
      const known = entries.get(uid);
      if (refuseOlder && known !== undefined && timestamp < known.modified) return false;
      entries.set(uid, { status, error, modified: timestamp, observed: 0n });
      notify(uid, timestamp);
      return true;
    },
    remove: (uid) => {
      entries.delete(uid);
    },
    updateTime: (timestamp) => {
      global = timestamp;
      for (const uid of [...waiters.keys()]) notify(uid, timestamp);
    },
    setObservedTime: (uid, timestamp) => {
      const entry = entries.get(uid);
      if (entry !== undefined && timestamp > entry.observed) entry.observed = timestamp;
      notify(uid, timestamp);
    },
  };
}

/** In ns: timestamps of successive events in one virtual instant differ by less than this. */
const SAME_INSTANT = 1_000_000n;

/** Always later than the status was valid, even if no time has passed: one status must not serve several syncs. */
const after = (held: bigint, now: bigint): bigint => (held > now && held - now < SAME_INSTANT ? held : now);

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** For a pod that the runtime does not know: no sandboxes, no containers, timestamp 0. */
export function emptyStatus(uid: string): RuntimePodStatus {
  return { uid, name: '', namespace: '', ips: [], sandboxes: [], containers: [], timestamp: 0n };
}

/** getPodIPs (pleg/generic.go and evented.go): a pod whose sandboxes have all stopped keeps its last addresses. */
export function keepIps(status: RuntimePodStatus, cache: Pick<PodCache, 'get'>): RuntimePodStatus {
  if (status.ips.length > 0) return status;
  if (status.sandboxes.some(({ state }) => state === PodSandboxState.SANDBOX_READY)) return status;
  return { ...status, ips: knownStatus(cache, status.uid)?.ips ?? [] };
}

/** Undefined also if the pod's last inspection failed. */
export function knownStatus(cache: Pick<PodCache, 'get'>, uid: string): RuntimePodStatus | undefined {
  try {
    return cache.get(uid);
  } catch {
    return undefined;
  }
}
