import type { Clock } from '../clock/clock.js';
import type { Call } from '../cri/service.js';
import type { FaultContext } from './interpose.js';

/** Sleeps until the time is over (undefined: for ever), the rule is taken back, or the client gives up: that rejects. */
export async function holdUp(
  clock: Clock,
  duration: number | undefined,
  released: AbortSignal,
  client: AbortSignal,
): Promise<void> {
  if (released.aborted) return;
  const either = AbortSignal.any([released, client]);
  try {
    if (duration === undefined) await clock.idle(aborted(either));
    else await clock.sleep(duration, either);
  } catch {
    // Ended early: by whom is looked at below.
  }
  client.throwIfAborted();
}

/** Waits until nothing pauses the runtime any more; rejects when the client gives up. */
export async function whilePaused(
  { clock, effects }: Pick<FaultContext, 'clock' | 'effects'>,
  call: Call,
): Promise<void> {
  while (effects.pause) await clock.idle(Promise.race([effects.pause, aborted(call.signal)]));
}

/** Rejects with the signal's reason once it aborts. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
