import type { Context } from '../context.js';
import { isConnectionError } from '../errors.js';

/** In ms. */
const ASK_AGAIN = 100;

/** Repeats a request until Docker answers: a failure must not lose a container's end. Undefined once aborted. */
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
