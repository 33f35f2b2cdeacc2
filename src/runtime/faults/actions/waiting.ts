import { aborted } from '../../../base/clock/aborted.js';
import type { Clock } from '../../../base/clock/clock.js';
import type { Call } from '../../../cri/service.js';
import type { RuleDecision } from '../matching/registry.js';
import type { FaultContext } from './context.js';

/** Sleeps until the end of the time or the rule (undefined: only the rule). Rejects when the client gives up. */
export async function holdUp(
  clock: Clock,
  duration: number | undefined,
  released: AbortSignal,
  client: AbortSignal,
): Promise<void> {
  if (released.aborted || duration === 0) return;
  client.throwIfAborted();
  // AbortSignal.any would leave a reference to each call on the rule, which may stay for long.
  const over = new AbortController();
  const end = () => over.abort();
  released.addEventListener('abort', end);
  client.addEventListener('abort', end);
  try {
    if (duration === undefined) await clock.idle(aborted(over.signal));
    else await clock.sleep(duration, over.signal);
  } catch {
    // Ended early; the cause is checked below.
  } finally {
    released.removeEventListener('abort', end);
    client.removeEventListener('abort', end);
  }
  client.throwIfAborted();
}

/** Waits for all delays of a decision; a removed rule's delay ends. Rejects when the client gives up. */
export async function delayed(
  clock: Clock,
  { delays }: Pick<RuleDecision, 'delays'>,
  client: AbortSignal,
): Promise<void> {
  for (const { duration, rule } of delays) await holdUp(clock, duration, rule.released, client);
}

/** Waits until nothing pauses the runtime; rejects when the client gives up. */
export async function whilePaused(
  { clock, effects }: Pick<FaultContext, 'clock' | 'effects'>,
  call: Call,
): Promise<void> {
  while (effects.pause) await clock.idle(Promise.race([effects.pause, aborted(call.signal)]));
}
