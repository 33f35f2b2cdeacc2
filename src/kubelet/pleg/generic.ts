import { restOfInstant, someOfInstant } from '../../base/clock/instant.js';
import { formatDuration } from '../../base/input/duration.js';
import { createLimiter } from '../../base/input/limiter.js';
import type { Random } from '../../base/random/random.js';
import { createRelister, type RelisterOptions } from './relister.js';

/** genericPlegRelistPeriod and genericPlegRelistThreshold, in ms. */
export const RELIST_PERIOD = 1000;
/** Unhealthy when the last successful relist began longer ago than this, in ms (pleg/generic.go Healthy). */
export const RELIST_THRESHOLD = 3 * 60_000;

/** Maximum number of queued requests for single pods; more are dropped (≥ 1.36). */
const REQUEST_CAPACITY = 200;

export interface GenericPlegOptions extends RelisterOptions {
  readonly random: Random;
  /** From the end of one relist to the start of the next, in ms. */
  readonly period: number;
  /** Time since the last successful relist after which the PLEG is unhealthy, in ms. */
  readonly threshold: number;
  /** Relists single pods on request (≥ 1.36). */
  readonly onDemand: boolean;
}

export interface GenericPleg {
  start(): void;
  stop(): void;
  /** Sets period and threshold in ms, from the next start on. */
  update(period: number, threshold: number): void;
  /** Relists now, or after the relist in progress. Never rejects: errors are logged. */
  relist(): Promise<void>;
  /** Requests a relist of one pod as soon as possible; ignored if the version does not support it. */
  requestRelist(uid: string): void;
  /** Makes the next relist inspect this pod, even if nothing changed. */
  inspectAgain(uid: string): void;
  readonly hasListed: boolean;
  /** Why it is unhealthy; undefined when healthy. */
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

  /** Relists run one after another; waiting for one lets time pass. */
  const exclusively = createLimiter(1, clock.idle);

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
      // Lists after the runtime has done its own work of this instant, such as ending a container. A sync caused by a
      // probe result of this instant may be over by then.
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
