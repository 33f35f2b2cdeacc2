import type { Clock } from '../../base/clock/clock.js';

/** Calls under way, by the object that they change. */
export interface UnderWay {
  /** The last call for this object that has not ended. */
  of(id: string): Promise<unknown> | undefined;
  /** Makes a call, which is under way until it ends. */
  run<T>(id: string, work: () => T | Promise<T>): Promise<T>;
}

/** Makes a table of calls under way. */
export function createUnderWay(): UnderWay {
  const calls = new Map<string, Promise<unknown>>();
  return {
    of: (id) => calls.get(id),
    run: async (id, work) => {
      const call = Promise.resolve(work());
      calls.set(id, call);
      try {
        return await call;
      } finally {
        if (calls.get(id) === call) calls.delete(id);
      }
    },
  };
}

/** Waits for another call, which may take time on the clock; answers whether it failed. */
export const hasFailed = (clock: Clock, other: Promise<unknown>): Promise<boolean> =>
  clock.idle(
    other.then(
      () => false,
      () => true,
    ),
  );
