import { formatDuration } from '../../../base/input/duration.js';
import type { Point } from '../points/points.js';
import { during, once, type PerturbationTemplate } from './make.js';
import type { Perturbation } from './perturbation.js';

/** How much less and more than a timeout is tried, in ms. */
const BELOW = 1000;
const BEYOND = 5000;
/** What a call takes that the kubelet waits for as long as it takes, in ms: more than runtimeRequestTimeout's default. */
const LONG = 125_000;
/** Longer than a period of the relist, in ms. */
const SHORT = 3000;

/**
 * The runtime is down when its last good status is 30 s old (baseRuntimeSyncThreshold in kubelet.go). The kubelet asks 5 s after
 * the reply, so that these delays, in ms, are below and beyond.
 */
const STATUS_DELAYS = [24_000, 35_000];

/** Much more than a relist's period, but each such call is answered in time, in ms. */
const SLOW = 25_000;
/** How long calls are slow, in ms. */
const OUTAGE = 40_000;

function delay(milliseconds: number): PerturbationTemplate {
  const text = `${milliseconds / 1000}s`;
  return {
    family: 'delay',
    name: `delay ${text}`,
    says: `takes ${text}`,
    rule: { then: { delay: text } },
    lasts: milliseconds,
  };
}

/** One call takes short, to just below the kubelet's timeout, and beyond it. A deadline is whole seconds, less what the call took on its way. */
export function delayOnce(point: Point): Perturbation[] {
  const { method } = point;
  const timeout = point.timeout && Math.ceil(point.timeout / 1000) * 1000;
  const limits = timeout === undefined ? [LONG] : [timeout - BELOW, timeout + BEYOND];
  const delays = [SHORT, ...limits, ...(method === 'Status' ? STATUS_DELAYS : [])];
  return delays.filter((time) => time > 0).map((time) => once(point, delay(time)));
}

/** How much longer than the kubelet waits a slow runtime takes, in ms: the kubelet tries again several times meanwhile. */
const HELD = 60_000;

/** The runtime makes a pod or a container slowly: it continues when the kubelet has given up, and holds the name until then. */
export function slowCreate(point: Point): Perturbation[] {
  const { method, timeout } = point;
  if (timeout === undefined || !(method === 'RunPodSandbox' || method === 'CreateContainer')) return [];
  return [once(point, madeSlowly(Math.ceil(timeout / 1000) * 1000 + HELD))];
}

/** The work of a call takes so long in the runtime, in ms. */
export function madeSlowly(milliseconds: number): PerturbationTemplate {
  const text = formatDuration(milliseconds);
  return {
    family: 'delay',
    name: `slow ${text}`,
    says: `takes ${text} in the runtime, which continues when the kubelet has given up`,
    rule: { then: { slowCreate: { duration: text } } },
    lasts: milliseconds,
  };
}

/** All such calls of the pod are slow for a time. */
export const slow = (point: Point): Perturbation => during(point, delay(SLOW), OUTAGE);
