import type { Clock } from '../../base/clock/clock.js';
import { isUnreached } from '../../cri/client/call-error.js';
import type { RuntimeClient } from '../client/client.js';
import { errorText } from '../client/errors.js';
import type { CriEventHandler } from './cri-events.js';
import type { PlegMetrics } from './metrics.js';

/** A stream that is still open after this time counts as connected, in ms. */
const CONNECTED_AFTER = 10;

export interface EventStreamOptions {
  readonly clock: Clock;
  readonly client: RuntimeClient;
  readonly metrics: PlegMetrics;
  readonly handle: CriEventHandler;
  readonly log: (message: string) => void;
}

/** Reads one GetContainerEvents stream to its end. Always throws, because the stream must not end. */
export async function readEventStream(
  { clock, client, metrics, handle, log }: EventStreamOptions,
  signal: AbortSignal,
): Promise<never> {
  let connected = false;
  const connect = () => {
    if (!connected) metrics.eventedConnected();
    connected = true;
  };
  const timer = clock.setTimer(CONNECTED_AFTER, connect);
  try {
    for await (const event of client.events(signal)) {
      connect();
      await handle(event);
    }
  } catch (error) {
    if (isUnreached(error))
      log(`"GetContainerEvents failed to get streaming client" err=${JSON.stringify(errorText(error))}`);
    else connect();
    throw error;
  } finally {
    timer.cancel();
  }
  connect();
  throw new Error('EOF');
}
