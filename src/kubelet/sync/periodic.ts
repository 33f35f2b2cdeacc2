import type { Clock } from '../../base/clock/clock.js';

/** Dependencies of periodic work. Errors are logged, and the work continues. */
export interface Periodic {
  readonly clock: Clock;
  /** Stops the work. */
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** Runs a task, waits for `period` ms, and repeats (wait.Until). A task that fails is logged and runs again. */
export function startPeriodic(
  { clock, signal, log }: Periodic,
  period: number,
  first: 'now' | 'later',
  task: () => Promise<unknown>,
): void {
  void clock
    .run(async () => {
      if (first === 'later') await clock.sleep(period, signal);
      while (!signal.aborted) {
        await task().catch((error: Error) => log(error.message));
        await clock.sleep(period, signal);
      }
    })
    // `signal` interrupts this sleep.
    .catch(() => {});
}
