import type { Clock } from '../../clock/clock.js';

/** What periodic work needs besides its period; an error is logged, and the work goes on. */
export interface Periodic {
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** Runs a task, waits for `period` ms, and so on (wait.Until). A task that fails is logged, and tried again. */
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
    // The sleep that `signal` ends.
    .catch(() => {});
}
