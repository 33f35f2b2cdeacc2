import type { SyncResults } from '../runtime/sync-results.js';
import type { ReasonCache } from '../types/ports.js';

/** maxReasonCacheEntries. */
const CAPACITY = 1000;

export interface WritableReasonCache extends ReasonCache {
  /** Stores the results of container starts; ignores others. */
  update(uid: string, results: SyncResults): void;
}

/** reason_cache.go: errors of the last container starts, with LRU eviction. */
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
