import type { Schedule } from '../catalog/perturbation.js';

/** How likely a kind of fault is in a cluster, in no unit: what every cluster has seen, down to what takes a bug in a runtime. */
const LIKELY: readonly (readonly [RegExp, number])[] = [
  // Nothing fails: only chance is different.
  [/^another seed/, 9.5],
  [/^error before (?:\d+ times |for a time |from then on )?(?:PullImage|RunPodSandbox|StopPodSandbox)/, 9],
  [/^(?:NetworkReady|RuntimeReady)=false/, 8],
  [/^kubelet restarted/, 8],
  // What containers do is given, or guessed from what was seen: then they do not end otherwise.
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

/** Of a run without any fault. */
const NO_FAULT = 10;
/** Of any other kind. */
const OTHER = 3;
/** What each further perturbation costs. */
const MORE = 5;

/** How likely the perturbations of a schedule are in a cluster: 10 for none, less for what is rare and for each further one. */
export const likelihoodOf = (schedule: Schedule): number =>
  schedule.length === 0
    ? NO_FAULT
    : Math.min(...schedule.map(({ kind }) => LIKELY.find(([pattern]) => pattern.test(kind))?.[1] ?? OTHER)) -
      MORE * (schedule.length - 1);
