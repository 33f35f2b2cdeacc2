import type { SyncResults } from '../runtime/sync-results.js';
import type { ReasonCache } from '../types.js';

/** maxReasonCacheEntries. */
const CAPACITY = 1000;

/** The reason cache as those see it who fill it. */
export interface WritableReasonCache extends ReasonCache {
  /** Takes over how the starts of a sync ended; other steps don't matter here. */
  update(uid: string, results: SyncResults): void;
}

/** Why containers could not be started last time, least recently used first out (reason_cache.go). */
export function createReasonCache(): WritableReasonCache {
  const reasons = new Map<string, { reason: string; message: string }>();
  const keyOf = (uid: string, container: string) => `${uid}_${container}`;
  return {
    get: (uid, container) => {
      const key = keyOf(uid, container);
      const found = reasons.get(key);
      if (found === undefined) return undefined;
      reasons.delete(key);
      reasons.set(key, found);
      return found;
    },
    update: (uid, { steps }) => {
      for (const { action, target, failure } of steps) {
        if (action !== 'StartContainer') continue;
        const key = keyOf(uid, target);
        reasons.delete(key);
        if (failure !== undefined) reasons.set(key, { reason: failure.reason, message: failure.message });
      }
      for (const key of reasons.keys()) {
        if (reasons.size <= CAPACITY) break;
        reasons.delete(key);
      }
    },
  };
}
