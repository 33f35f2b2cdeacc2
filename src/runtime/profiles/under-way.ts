import type { Clock } from '../../base/clock/clock.js';

export interface UnderWay {
  of(id: string): Promise<unknown> | undefined;
  run<T>(id: string, work: () => T | Promise<T>): Promise<T>;
}

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

/** Waits for another call, which may take time on the clock. Returns whether it failed. */
export const hasFailed = (clock: Clock, other: Promise<unknown>): Promise<boolean> =>
  clock.idle(
    other.then(
      () => false,
      () => true,
    ),
  );
