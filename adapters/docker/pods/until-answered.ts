import type { Context } from '../context.js';
import { isConnectionError } from '../errors.js';

/** In ms. */
const ASK_AGAIN = 100;

/**
 * Repeats the request until Docker answers, however long that takes: one failed request must not lose the end of a
 * container. Undefined once the signal aborts; `what` is the beginning of a warning.
 */
export async function untilAnswered<T>(
  { clock, untilConnected, warn }: Pick<Context, 'clock' | 'untilConnected' | 'warn'>,
  what: string,
  ask: () => Promise<T>,
  signal: AbortSignal,
): Promise<T | undefined> {
  let isTold = false;
  while (!signal.aborted) {
    try {
      return await ask();
    } catch (error) {
      if (!isTold && !isConnectionError(error)) {
        warn(`${what} can't be inspected`, error);
        isTold = true;
      }
    }
    await clock.sleep(ASK_AGAIN, signal).catch(() => {});
    await untilConnected(signal).catch(() => {});
  }
  return undefined;
}
