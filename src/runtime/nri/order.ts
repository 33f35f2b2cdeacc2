import type { Clock } from '../../base/clock/clock.js';

/** One thing at a time, in order of asking. */
export type OneByOne = <T>(work: () => Promise<T>) => Promise<T>;

/** Work that waits for its turn does not hold up the clock. */
export function createOrder(clock: Clock): OneByOne {
  let last: Promise<unknown> = Promise.resolve();
  return async (work) => {
    const before = last;
    let done = () => {};
    last = new Promise<void>((resolve) => {
      done = resolve;
    });
    await clock.idle(before);
    try {
      return await work();
    } finally {
      done();
    }
  };
}

/**
 * Operations of clients, any number at once, and the synchronization of a plugin, alone: a plugin sees no operation that
 * has begun before it was synchronized. Who waits longest comes first, so that neither waits forever.
 */
export interface SyncGate {
  operation<T>(work: () => Promise<T>): Promise<T>;
  alone<T>(work: () => Promise<T>): Promise<T>;
}

/** Makes a gate between synchronizations of plugins and requests. */
export function createGate(clock: Clock): SyncGate {
  let underWay = 0;
  let idle = () => {};
  let closed: Promise<void> | undefined;
  const inOrder = createOrder(clock);
  return {
    operation: async (work) => {
      while (closed !== undefined) await clock.idle(closed);
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        if (underWay === 0) idle();
      }
    },
    alone: (work) =>
      inOrder(async () => {
        let open = () => {};
        closed = new Promise<void>((resolve) => {
          open = () => {
            closed = undefined;
            resolve();
          };
        });
        try {
          if (underWay > 0)
            await clock.idle(
              new Promise<void>((resolve) => {
                idle = resolve;
              }),
            );
          return await work();
        } finally {
          open();
        }
      }),
  };
}
