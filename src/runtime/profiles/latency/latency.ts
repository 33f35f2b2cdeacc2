import type { Random } from '../../../base/random/random.js';

/** Operations that take time in a runtime, in the order in which a container needs them. */
export const timedOperations = [
  'pull',
  'runSandbox',
  'createContainer',
  'startContainer',
  'startReply',
  'firstStep',
  'exitReport',
  'exec',
  'stopContainer',
  'removeContainer',
  'stopSandbox',
  'removeSandbox',
] as const;
export type TimedOperation = (typeof timedOperations)[number];

/** Quantiles of a time in ms at equal distances, the least first; one is a constant, two a uniform distribution. */
export type Distribution = readonly number[];

/**
 * How long a runtime takes; missing operations take no time. `startContainer` ends when the process runs, `startReply`
 * is the time from then until the client gets its reply: by then a shell has set its traps. `firstStep` is the least
 * time from a container's start to the end of its process, `exitReport` the time from then until its status shows
 * EXITED (a StopContainer does not wait for it), `stopContainer` is added to the time that the process takes to end,
 * and `exec` ends when the command runs.
 */
export type Latency = { readonly [operation in TimedOperation]?: Distribution | undefined };

/** Draws a time in ms. A constant time takes no random number. */
export function draw(distribution: Distribution, random: Random): number {
  const last = distribution.length - 1;
  if (last <= 0) return distribution[0] ?? 0;
  const place = random.next() * last;
  const below = Math.floor(place);
  const low = distribution[below] ?? 0;
  const high = distribution[below + 1] ?? low;
  return low + (high - low) * (place - below);
}

/** Largest deviation from a given time, as a fraction of it. */
const SPREAD = 0.2;

/** A uniform distribution around a time in ms, a fifth either way. */
export const around = (milliseconds: number): Distribution => [
  milliseconds * (1 - SPREAD),
  milliseconds * (1 + SPREAD),
];

/** Approximate times of containerd 2.1 with a real kubelet on two cores: for simulations without a runtime's name. */
export const usualLatency: Latency = {
  runSandbox: around(80),
  stopSandbox: around(40),
  createContainer: around(15),
  startContainer: around(35),
  startReply: around(5),
  firstStep: around(30),
  stopContainer: around(30),
  exec: around(50),
  pull: around(500),
};
