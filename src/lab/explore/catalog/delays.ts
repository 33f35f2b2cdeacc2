import { formatDuration } from '../../../base/input/duration.js';
import type { Point } from '../points/points.js';
import { during, once, type PerturbationTemplate } from './make.js';
import type { Perturbation } from './perturbation.js';

/** How far below and above a timeout to try, in ms. */
const BELOW = 1000;
const BEYOND = 5000;
/** Delay in ms for calls without a kubelet timeout: more than the default of runtimeRequestTimeout. */
const LONG = 125_000;
/** Longer than a relist period, in ms. */
const SHORT = 3000;

/**
 * The runtime counts as down when its last good status is 30 s old (baseRuntimeSyncThreshold in kubelet.go). The
 * kubelet asks again 5 s after the reply, so these delays in ms are below and above the limit.
 */
const STATUS_DELAYS = [24_000, 35_000];

/** In ms: much longer than a relist period, but within the deadline of each call. */
const SLOW = 25_000;
/** Duration of slow calls, in ms. */
const OUTAGE = 40_000;

function delay(milliseconds: number): PerturbationTemplate {
  const text = `${milliseconds / 1000}s`;
  return {
    family: 'delay',
    name: `delay ${text}`,
    says: `takes ${text} to return`,
    rule: { then: { delay: text } },
    lasts: milliseconds,
  };
}

/** Delays one call briefly, to just below the timeout, and beyond it. Deadlines are whole seconds, minus transit. */
export function delayOnce(point: Point): Perturbation[] {
  const { method } = point;
  const timeout = point.timeout && Math.ceil(point.timeout / 1000) * 1000;
  const limits = timeout === undefined ? [LONG] : [timeout - BELOW, timeout + BEYOND];
  const delays = [SHORT, ...limits, ...(method === 'Status' ? STATUS_DELAYS : [])];
  return delays.filter((time) => time > 0).map((time) => once(point, delay(time)));
}

/** How much longer than the kubelet waits a slow runtime takes, in ms: the kubelet retries several times meanwhile. */
const HELD = 60_000;

/** Continues after the kubelet has given up, and reserves the name until then. */
export function slowCreate(point: Point): Perturbation[] {
  const { method, timeout } = point;
  if (timeout === undefined || !(method === 'RunPodSandbox' || method === 'CreateContainer')) return [];
  return [once(point, madeSlowly(Math.ceil(timeout / 1000) * 1000 + HELD))];
}

export function madeSlowly(milliseconds: number): PerturbationTemplate {
  const text = formatDuration(milliseconds);
  return {
    family: 'delay',
    name: `slow ${text}`,
    says: `takes ${text}: the runtime continues after the kubelet has timed out`,
    rule: { then: { slowCreate: { duration: text } } },
    lasts: milliseconds,
  };
}

export const slow = (point: Point): Perturbation => during(point, delay(SLOW), OUTAGE);
