import { jitter, type Random } from '../../random/random.js';
import type { RuntimeClient } from '../runtime/client.js';
import { errorText } from '../runtime/errors.js';
import { CHANNEL_CAPACITY } from './channel.js';
import { type CriEventsOptions, createCriEventHandler, ownsCache } from './cri-events.js';
import { readEventStream } from './event-stream.js';
import { RELIST_PERIOD, RELIST_THRESHOLD } from './generic.js';

/** Relist period and threshold while designs A rely on events (ms). */
export const EVENTED_RELIST_PERIOD = 300_000;
/** See EVENTED_RELIST_PERIOD (kubelet.go eventedPlegRelistThreshold). */
export const EVENTED_RELIST_THRESHOLD = 10 * 60_000;

/** How often design A tells the cache that what it knows still holds (ms). */
const GLOBAL_CACHE_UPDATE_PERIOD = 5000;

/** Stream failures, counted over the whole life of the process, after which A and B give up. */
const MAX_STREAM_RETRIES = 5;

/** Design C: reconnecting back-off (ms). */
const FIRST_RECONNECT = 1000;
const MAX_RECONNECT = 60_000;

/** `random` jitters the reconnects of design C. */
export interface EventedPlegOptions extends CriEventsOptions {
  readonly random: Random;
  readonly client: RuntimeClient;
}

/** The evented PLEG beside the generic one that it speeds up. */
export interface EventedPleg {
  start(): void;
  stop(): void;
  /** Why it is not healthy; undefined when it is. */
  health(): string | undefined;
}

/** EventedPLEG in the designs of kubelet 1.26–1.36 (A), 1.37 (B) and the draft for its beta (C): pleg/evented.go. */
export function createEventedPleg(options: EventedPlegOptions): EventedPleg {
  const { clock, cache, channel, generic, metrics, design, log } = options;
  const relies = ownsCache(design);
  const endText = relies ? 'EOF' : 'CRI container event stream closed without an error';
  const stream = { ...options, handle: createCriEventHandler(options), endText };
  let stopped: AbortController | undefined;

  /** A and B: five failures in the life of the process, however far apart, and it is over. */
  const untilExhausted = async (signal: AbortSignal): Promise<void> => {
    for (let attempts = 0; attempts < MAX_STREAM_RETRIES; attempts++) {
      const error = await readEventStream(stream, signal).catch((failure: unknown) => failure);
      if (signal.aborted) return;
      metrics.eventedFailed();
      if (relies) await generic.relist();
      log(`Evented PLEG: Failed to get container events, retrying: ${errorText(error)}`);
    }
    if (relies) fallBack();
    else log('Evented PLEG: disabling container-termination fast path after exhausting event stream retries');
  };

  const fallBack = () => {
    log('Fall back to Generic PLEG relisting since Evented PLEG is not working');
    stopped?.abort();
    generic.stop();
    generic.update(RELIST_PERIOD, RELIST_THRESHOLD);
    generic.start();
  };

  /** C: reconnects for ever; a stream that lasted a minute starts the back-off anew. */
  const forEver = async (signal: AbortSignal): Promise<void> => {
    let delay = 0;
    while (!signal.aborted) {
      const begun = clock.elapsed();
      await readEventStream(stream, signal).catch((error: unknown) => {
        if (signal.aborted) return;
        metrics.eventedFailed();
        log(`Evented PLEG: Failed to get container events, retrying: ${errorText(error)}`);
      });
      if (signal.aborted) return;
      if (clock.elapsed() - begun >= MAX_RECONNECT) delay = 0;
      await clock.sleep(delay === 0 ? 0 : jitter(options.random, delay, 0.5));
      delay = Math.min(delay === 0 ? FIRST_RECONNECT : delay * 2, MAX_RECONNECT);
    }
  };

  const tick = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      cache.updateTime(cache.stamp());
      await clock.sleep(GLOBAL_CACHE_UPDATE_PERIOD);
    }
  };

  return {
    start: () => {
      stopped = new AbortController();
      const { signal } = stopped;
      void clock.run(() => (design === 'C' ? forEver(signal) : untilExhausted(signal)));
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
