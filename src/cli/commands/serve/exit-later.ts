import type { Clock } from '../../../base/clock/clock.js';

/** Maximum time in ms from the signal to the process's end. */
const LONGEST_STOP = 5000;
/** Additional time in ms for a tape: a hanging disk must not keep the process alive forever. */
const LONGEST_TAPE = 30_000;

/**
 * Ends a process that a client or a backend keeps alive. Completes the file of a tape first: `finish` resolves then.
 * The timer itself does not keep the process alive.
 */
export function exitLater(clock: Clock, finish: () => Promise<unknown>, exit = () => process.exit()): void {
  const end = async () => {
    await Promise.race([finish().catch(() => {}), clock.sleep(LONGEST_TAPE)]);
    exit();
  };
  // biome-ignore lint/style/noRestrictedGlobals: a timer of the clock keeps the process alive.
  setTimeout(end, LONGEST_STOP).unref();
}
