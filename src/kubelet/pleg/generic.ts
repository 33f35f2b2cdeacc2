import { restOfInstant, someOfInstant } from '../../base/clock/instant.js';
import { formatDuration } from '../../base/input/duration.js';
import type { Random } from '../../base/random/random.js';
import { createLimiter } from '../limiter.js';
import { createRelister, type RelisterOptions } from './relister.js';

/** genericPlegRelistPeriod and genericPlegRelistThreshold, in ms. */
export const RELIST_PERIOD = 1000;
/**
 * The PLEG is unhealthy when the last successful relist began longer ago than this, in ms (pleg/generic.go Healthy).
 */
export const RELIST_THRESHOLD = 3 * 60_000;

/** Maximum number of waiting requests for single pods; further requests are dropped (≥ 1.36). */
const REQUEST_CAPACITY = 200;

/** Period and health threshold of the PLEG. */
export interface GenericPlegOptions extends RelisterOptions {
  /** What comes before a relist of the same instant. */
  readonly random: Random;
  /** ms from the end of one relist to the start of the next. */
  readonly period: number;
  /** ms since the last successful relist after which the PLEG is unhealthy. */
  readonly threshold: number;
  /** Whether it relists single pods on request (≥ 1.36). */
  readonly onDemand: boolean;
}

/** The PLEG that finds changes by listing all pods. */
export interface GenericPleg {
  start(): void;
  stop(): void;
  /** New period and threshold (ms); they apply from the next start. */
  update(period: number, threshold: number): void;
  /** Relists now, after a relist in progress. Never rejects: errors are logged. */
  relist(): Promise<void>;
  /** Requests a relist of one pod as soon as possible; ignored if the version does not support it. */
  requestRelist(uid: string): void;
  /** The next relist inspects this pod, whatever it lists. */
  inspectAgain(uid: string): void;
  /** Whether a relist has succeeded. */
  readonly hasListed: boolean;
  /** Why it is not healthy; undefined when it is healthy. */
  health(): string | undefined;
}

/** GenericPLEG (pleg/generic.go). */
export function createGenericPleg(options: GenericPlegOptions): GenericPleg {
  const { clock, random, cache, metrics, onDemand } = options;
  const relister = createRelister(options);
  const requests: (readonly [uid: string, requested: bigint])[] = [];
  let { period, threshold } = options;
  let running: AbortController | undefined;
  let wake = () => {};

  /** Relists come one after the other; who waits for one lets time pass. */
  const exclusively = createLimiter(clock, 1);

  /** Priority: stop, then the timer, then requests. The period starts at the end of a relist. */
  const work = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await exclusively(relister.relistAll);
      let due = false;
      const timer = clock.setTimer(period, () => {
        due = true;
        wake();
      });
      while (!due && !signal.aborted) {
        const request = requests.shift();
        if (request === undefined) {
          await clock.idle(
            new Promise<void>((resolve) => {
              wake = resolve;
            }),
          );
          continue;
        }
        await exclusively(() => relister.relistPod(...request));
      }
      timer.cancel();
      // The list reaches the runtime after what it does in this instant by itself, such as the end of a container. A sync
      // for the result of a probe of this instant may be over by then.
      await restOfInstant(clock);
      await someOfInstant(clock, random);
    }
  };

  return {
    start: () => {
      if (running !== undefined) return;
      running = new AbortController();
      const { signal } = running;
      void clock.run(() => work(signal));
    },
    stop: () => {
      running?.abort();
      running = undefined;
      wake();
    },
    update: (nextPeriod, nextThreshold) => {
      period = nextPeriod;
      threshold = nextThreshold;
    },
    relist: () => exclusively(relister.relistAll),
    requestRelist: (uid) => {
      if (!onDemand || requests.length >= REQUEST_CAPACITY) return;
      requests.push([uid, cache.stamp()]);
      wake();
    },
    inspectAgain: relister.inspectAgain,
    get hasListed() {
      return relister.relistTime !== undefined;
    },
    health: () => {
      const { relistTime } = relister;
      if (relistTime === undefined) return 'pleg has yet to be successful';
      metrics.lastSeen(Number(relistTime / 1_000_000_000n));
      const elapsed = Number(clock.now() - relistTime) / 1e6;
      if (elapsed <= threshold) return undefined;
      return `pleg was last seen active ${formatDuration(elapsed)} ago; threshold is ${formatDuration(threshold)}`;
    },
  };
}
