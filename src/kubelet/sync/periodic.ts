import type { Clock } from '../../base/clock/clock.js';

/** Errors are logged, and the work continues. */
export interface Periodic {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
}

/** wait.Until: runs a task, waits for `period` ms, and repeats. A failed task is logged and runs again. */
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
    .catch(() => {});
}
