import type { Clock } from '../../base/clock/clock.js';

export type OneByOne = <T>(work: () => Promise<T>) => Promise<T>;

/** Waiting tasks do not hold up the clock. */
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
 * Lets client operations run in parallel, but a plugin's synchronization alone: a plugin sees no operation that began
 * before its synchronization. The longest waiter is next, so that neither side waits forever.
 */
export interface SyncGate {
  operation<T>(work: () => Promise<T>): Promise<T>;
  alone<T>(work: () => Promise<T>): Promise<T>;
}

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
