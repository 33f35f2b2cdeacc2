import type { Clock } from '../base/clock/clock.js';

/**
 * Brings things to their desired state in steps. Steps of one thing never overlap; the next step sees later changes.
 */
export interface Reconciler<T> {
  changed(thing: T): void;
  isBusy(thing: T): boolean;
}

/** `done`: wait for changes; `again`: more steps are needed; `over`: nothing will ever be needed. */
export type StepResult = 'done' | 'again' | 'over';

/** Runs `step` for changed things. `ended` runs when a thing has no step in progress any more. */
export function createReconciler<T>(
  clock: Clock,
  step: (thing: T) => Promise<StepResult>,
  ended?: (thing: T) => void,
): Reconciler<T> {
  /** Things with steps in progress, and whether they changed since the last one began. */
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
