import { millisToNanos } from '../../base/clock/clock.js';
import type { KubeletVersion } from '../types/version.js';
import { createBackOff } from './backoff.js';

/** Durations in ms. */
export interface CurveSettings {
  readonly initial: number;
  readonly max: number;
  /** An entry that is not renewed for longer than this expires. */
  readonly reset: number;
  readonly run: number;
  readonly restarts: number;
  readonly requeue: KubeletVersion['requeue'];
}

/** One restart. Times in ms; `at` counts from the first start. */
export interface CurvePoint {
  /** Starts at 1; the first start is not a restart. */
  readonly restart: number;
  /** From the end of the previous instance to this start, without requeue jitter. */
  readonly waits: number;
  /** The same with the maximum jitter. Later points assume no jitter here. */
  readonly latest: number;
  readonly at: number;
  readonly why: 'first' | 'back-off' | 'expired' | 'collected';
}

/** The work queue is checked every second, and a relist can be a second old (pod_workers.go, pleg/generic.go). */
const TICK = 1000;

/** Maximum wait of a worker before it checks again (≥ 1.35). */
const SLICE = 60_000;

/** Computes the restarts of a container that always exits by itself: doBackOff and Backoff.GC without jitter. */
export function restartCurve(settings: CurveSettings): CurvePoint[] {
  const clock = { present: 0n, now: () => clock.present };
  const backOff = createBackOff({
    clock,
    initial: settings.initial,
    max: settings.max,
    expiry: settings.reset,
  });
  const run = millisToNanos(settings.run);
  const reset = millisToNanos(settings.reset);
  const points: CurvePoint[] = [];
  let lastUpdate: bigint | undefined;
  for (let restart = 1; restart <= settings.restarts; restart++) {
    const ended = clock.present + run;
    clock.present = ended;
    const waiting = backOff.isInBackOffSince('app', ended);
    const delayed = ended + millisToNanos(backOff.get('app'));
    const forgotten = (lastUpdate ?? ended) + reset + 1n;
    const collected = waiting && forgotten < delayed;
    if (waiting) clock.present = collected ? forgotten : delayed;
    const why = collected
      ? 'collected'
      : waiting
        ? 'back-off'
        : lastUpdate === undefined
          ? 'first'
          : 'expired';
    backOff.gc();
    backOff.next('app', ended);
    lastUpdate = clock.present;
    const waits = Math.round(Number(clock.present - ended) / 1e6);
    const latest = waiting ? withJitter(waits, settings.requeue) : 2 * TICK;
    points.push({ restart, waits, latest, at: Math.round(Number(clock.present) / 1e6), why });
  }
  return points;
}

/** A worker checks again every 10 to 15 s, or (≥ 1.35) after the remaining time, in slices, plus up to half of it. */
function withJitter(wait: number, requeue: CurveSettings['requeue']): number {
  return requeue === 'fixed' ? wait + 15_000 + 2 * TICK : longestSlices(wait) + TICK;
}

function longestSlices(left: number): number {
  if (left <= SLICE) return 1.5 * left;
  const slices = [SLICE, 1.5 * SLICE, left - SLICE].filter((slice) => slice >= SLICE && slice <= 1.5 * SLICE);
  return Math.max(...slices.map((slice) => (slice >= left ? slice : slice + longestSlices(left - slice))));
}
