import type { Random } from '../../../base/random/random.js';

/** What takes time in a runtime, in the order in which a container needs it. */
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
/** One of `timedOperations`. */
export type TimedOperation = (typeof timedOperations)[number];

/**
 * How long something takes: quantiles at equal distances, from the least to the greatest, in ms. One number is a time
 * that never varies; two are the ends of an even distribution.
 */
export type Distribution = readonly number[];

/**
 * How long a runtime takes. What is left out takes no time. `startContainer` ends when the process runs, `startReply` is
 * the time from then until the client gets its reply: by then a shell has set its traps. `firstStep` is the least time
 * from a container's start to the end of its process, `exitReport` the time from then until its status shows EXITED (a
 * StopContainer does not wait for it), `stopContainer` comes on top of what the process takes to end, and `exec` ends when
 * the command runs.
 */
export type Latency = { readonly [operation in TimedOperation]?: Distribution | undefined };

/** A time from the distribution, in ms. One that never varies takes no random number. */
export function draw(distribution: Distribution, random: Random): number {
  const last = distribution.length - 1;
  if (last <= 0) return distribution[0] ?? 0;
  const place = random.next() * last;
  const below = Math.floor(place);
  const low = distribution[below] ?? 0;
  const high = distribution[below + 1] ?? low;
  return low + (high - low) * (place - below);
}

/** Part of a given time by which it varies, either way. */
const SPREAD = 0.2;

/** An even distribution around a time in ms, a fifth either way. */
export const around = (milliseconds: number): Distribution => [
  milliseconds * (1 - SPREAD),
  milliseconds * (1 + SPREAD),
];
