import type { Clock } from '../base/clock/clock.js';

/**
 * Brings things to what is wanted of them, step by step. The steps of one thing never overlap, and what changes during a
 * step is seen by the next one.
 */
export interface Reconciler<T> {
  /** Something changed that may need steps. */
  changed(thing: T): void;
  /** Whether its steps are under way. */
  isBusy(thing: T): boolean;
}

/** How a step ends: nothing is left to do but what has changed meanwhile, more is left, or nothing has to be done any more. */
export type StepResult = 'done' | 'again' | 'over';

/** Makes a reconciler from its step. `ended` runs when a thing has no step under way any more. */
export function createReconciler<T>(
  clock: Clock,
  step: (thing: T) => Promise<StepResult>,
  ended?: (thing: T) => void,
): Reconciler<T> {
  /** The things with steps under way, and whether they changed since the last one began. */
  const busy = new Map<T, boolean>();

  const work = async (thing: T): Promise<void> => {
    let result: StepResult;
    do {
      busy.set(thing, false);
      result = await step(thing);
    } while (result === 'again' || (result === 'done' && busy.get(thing)));
    busy.delete(thing);
    ended?.(thing);
  };

  return {
    changed: (thing) => {
      const isBusy = busy.has(thing);
      busy.set(thing, true);
      if (!isBusy) void clock.run(() => work(thing));
    },
    isBusy: (thing) => busy.has(thing),
  };
}
