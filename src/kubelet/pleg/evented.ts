import type { Clock } from '../../base/clock/clock.js';
import { jitter, type Random } from '../../base/random/random.js';
import { isUnreached } from '../../cri/client/call-error.js';
import type { RuntimeClient } from '../client/client.js';
import { errorText } from '../client/errors.js';
import { CHANNEL_CAPACITY } from './channel.js';
import {
  type CriEventHandler,
  type CriEventsOptions,
  createCriEventHandler,
  ownsCache,
} from './cri-events.js';
import { RELIST_PERIOD, RELIST_THRESHOLD } from './generic.js';
import type { PlegMetrics } from './metrics.js';

/** A stream that is still open after this time counts as connected, in ms. */
const CONNECTED_AFTER = 10;

interface EventStreamOptions {
  readonly clock: Clock;
  readonly client: RuntimeClient;
  readonly metrics: PlegMetrics;
  readonly handle: CriEventHandler;
  readonly log: (message: string) => void;
}

/** Relist period while design A relies on events, in ms. */
export const EVENTED_RELIST_PERIOD = 300_000;
/** Relist threshold while design A relies on events, in ms (kubelet.go eventedPlegRelistThreshold). */
export const EVENTED_RELIST_THRESHOLD = 10 * 60_000;

/** Interval at which design A marks the whole cache as valid, in ms. */
const GLOBAL_CACHE_UPDATE_PERIOD = 5000;

/** Designs A and B give up after this many stream failures in the life of the process. */
const MAX_STREAM_RETRIES = 5;

/** Reconnect back-off of design C, in ms. */
const FIRST_RECONNECT = 1000;
const MAX_RECONNECT = 60_000;

export interface EventedPlegOptions extends CriEventsOptions {
  readonly random: Random;
  readonly client: RuntimeClient;
}

export interface EventedPleg {
  start(): void;
  stop(): void;
  /** Why it is unhealthy; undefined when healthy. */
  health(): string | undefined;
}

/**
 * EventedPLEG (pleg/evented.go) in three designs: kubelet 1.26–1.36 (A), 1.37 (B), and the draft for its beta (C).
 */
export function createEventedPleg(options: EventedPlegOptions): EventedPleg {
  const { clock, cache, channel, generic, metrics, design, log, report } = options;
  const relies = ownsCache(design);
  const stream = { ...options, handle: createCriEventHandler(options) };
  let stopped: AbortController | undefined;

  /** Designs A and B stop after five failures in the life of the process, however far apart. */
  const untilExhausted = async (signal: AbortSignal): Promise<void> => {
    let last = '';
    for (let attempts = 0; attempts < MAX_STREAM_RETRIES; attempts++) {
      const error = await readEventStream(stream, signal).catch((failure: unknown) => failure);
      if (signal.aborted) return;
      metrics.eventedFailed();
      if (relies) await generic.relist();
      last = streamFailed(options, error);
    }
    if (relies) fallBack();
    else {
      report({ state: 'fast-path-off' });
      log(
        `"Evented PLEG: disabling container-termination fast path after exhausting event stream retries" err=${JSON.stringify(last)} retries=${MAX_STREAM_RETRIES}`,
      );
    }
  };

  const fallBack = () => {
    log('"Fall back to Generic PLEG relisting since Evented PLEG is not working"');
    report({ state: 'generic' });
    stopped?.abort();
    generic.stop();
    generic.update(RELIST_PERIOD, RELIST_THRESHOLD);
    generic.start();
  };

  const tick = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      cache.updateTime(cache.stamp());
      await clock.sleep(GLOBAL_CACHE_UPDATE_PERIOD, signal).catch(() => {});
    }
  };

  return {
    start: () => {
      stopped = new AbortController();
      const { signal } = stopped;
      void clock.run(() => (design === 'C' ? readForEver(options, stream, signal) : untilExhausted(signal)));
      if (relies) void clock.run(() => tick(signal));
    },
    stop: () => stopped?.abort(),
    health: () => {
      if (!relies) return undefined;
      if (channel.length === CHANNEL_CAPACITY)
        return `EventedPLEG: pleg event channel capacity is full with ${channel.length} events`;
      metrics.lastSeen(Number(clock.now() / 1_000_000_000n));
      return undefined;
    },
  };
}

/** Design C reconnects forever. A stream that lasted a minute resets the back-off. */
async function readForEver(
  options: EventedPlegOptions,
  stream: EventStreamOptions,
  signal: AbortSignal,
): Promise<void> {
  const { clock, metrics, random } = options;
  let delay = 0;
  while (!signal.aborted) {
    const begun = clock.elapsed();
    await readEventStream(stream, signal).catch((error: unknown) => {
      if (signal.aborted) return;
      metrics.eventedFailed();
      streamFailed(options, error);
    });
    if (signal.aborted) return;
    if (clock.elapsed() - begun >= MAX_RECONNECT) delay = 0;
    const pause = delay === 0 ? 0 : jitter(random, delay, 0.5);
    await clock.sleep(pause, signal).catch(() => {});
    delay = Math.min(delay === 0 ? FIRST_RECONNECT : delay * 2, MAX_RECONNECT);
  }
}

/** Reports and logs the failure of a stream; returns its text. */
function streamFailed({ design, log, report }: EventedPlegOptions, error: unknown): string {
  const text = errorText(error);
  report({ state: 'stream-failed', text });
  const failed = ownsCache(design)
    ? 'Failed to get container events, retrying: '
    : 'failed to get container events, retrying';
  log(`"Evented PLEG: ${failed}" err=${JSON.stringify(text)}`);
  return text;
}

/** Reads one GetContainerEvents stream to its end. Always throws, because the stream must not end. */
async function readEventStream(
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
