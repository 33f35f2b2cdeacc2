import type { Schedule } from '../catalog/perturbation.js';

/**
 * Likelihood in a cluster, without a unit: from faults that every cluster has seen to those that need a runtime bug.
 */
const LIKELY: readonly (readonly [RegExp, number])[] = [
  // Nothing fails; only the random numbers differ.
  [/^another seed/, 9.5],
  [/^error before (?:\d+ times |for a time |from then on )?(?:PullImage|RunPodSandbox|StopPodSandbox)/, 9],
  [/^(?:NetworkReady|RuntimeReady)=false/, 8],
  [/^kubelet (?:restarted|upgraded)/, 8],
  // The behavior of containers is given, or guessed from observations: then they do not end differently.
  [/^exit /, 3.5],
  [/^lists (?:hang|take)/, 8],
  [/^runtime restarted .*kept/, 7],
  [/^(?:delay|slow) \S+ (?:PullImage|StartContainer|RunPodSandbox|StopContainer|CreateContainer)/, 7],
  [/^(?:hang|delay) /, 6],
  [/^error before/, 6],
  [/^reply lost|^done late/, 6],
  [/^kubelet down|^clock/, 5],
  [/^stream|^unimplemented|^broken|^ended/, 5],
  [/^event (?:lost|20s late|out of order)/, 5],
  [/^runtime restarted .*lost/, 4],
  [/^stale reply|^finished_at|^no container|^state CREATED/, 4],
];

const NO_FAULT = 10;
const OTHER = 3;
const MORE = 5;

/** Likelihood of a schedule: 10 without perturbations, less for rare ones and for each additional one. */
export const likelihoodOf = (schedule: Schedule): number =>
  schedule.length === 0
    ? NO_FAULT
    : Math.min(...schedule.map(({ kind }) => LIKELY.find(([pattern]) => pattern.test(kind))?.[1] ?? OTHER)) -
      MORE * (schedule.length - 1);
