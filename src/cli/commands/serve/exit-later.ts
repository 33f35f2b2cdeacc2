import type { Clock } from '../../../base/clock/clock.js';

/** Time in ms from the signal to the end of the process, whatever still holds it. */
const LONGEST_STOP = 5000;
/** Time in ms that a tape has then. A disk that hangs must not keep the process forever. */
const LONGEST_TAPE = 30_000;

/**
 * Ends a process that a client or a backend keeps from ending. The file of a tape is written to its end first: `finish`
 * resolves then. The timer itself does not keep the process.
 */
export function exitLater(clock: Clock, finish: () => Promise<unknown>, exit = () => process.exit()): void {
  const end = async () => {
    await Promise.race([finish().catch(() => {}), clock.sleep(LONGEST_TAPE)]);
    exit();
  };
  // biome-ignore lint/style/noRestrictedGlobals: a timer of the clock keeps the process alive.
  setTimeout(end, LONGEST_STOP).unref();
}
