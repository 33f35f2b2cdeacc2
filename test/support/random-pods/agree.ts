import { type Difference, differencesFrom } from './compare.js';
import type { History } from './history.js';
import { containersOf, type PodCase } from './pod-case.js';
import { type RunOptions, runPods } from './run.js';

export interface Pair extends Pick<RunOptions, 'version' | 'seconds'> {
  readonly program: string;
  /** End of the comparison, in s after the pods' start. */
  readonly until: number;
}

/** A pod that the two kubelets treat differently. */
export interface Disagreement {
  readonly pod: PodCase;
  readonly differences: readonly Difference[];
}

/** Runs of the thin kubelet for the first comparison of a pod, and for the decision. */
const MANY = 12;
const MOST = 120;

/**
 * Pods that the program treats in a way that the thin kubelet shows with no seed. Differences of a first run are run
 * again separately with other seeds; differences in both are disagreements, unless one of many more runs of the thin
 * kubelet has them.
 */
export async function disagreements(
  pods: readonly PodCase[],
  pair: Pair,
  seed: number,
): Promise<{ readonly suspected: number; readonly found: readonly Disagreement[] }> {
  const first = await compare(pods, pair, seed, MANY);
  if (first.length === 0) return { suspected: 0, found: [] };
  const again = await compare(podsOf(first), pair, seed + 1, MOST);
  return { suspected: first.length, found: inBoth(first, again) };
}

const podsOf = (found: readonly Disagreement[]): PodCase[] => found.map(({ pod }) => pod);

/** The disagreements that both have, by pod and track. */
function inBoth(one: readonly Disagreement[], other: readonly Disagreement[]): Disagreement[] {
  const tracks = new Map(one.map(({ pod, differences }) => [pod, differences.map(({ track }) => track)]));
  return other.flatMap(({ pod, differences }) => {
    const again = differences.filter(({ track }) => tracks.get(pod)?.includes(track));
    return again.length > 0 ? [{ pod, differences: again }] : [];
  });
}

/** The differences of a program's run from each of at most `count` runs of the thin kubelet. */
export async function compare(
  pods: readonly PodCase[],
  { program, version, seconds, until }: Pair,
  seed: number,
  count: number,
): Promise<Disagreement[]> {
  const real = await runPods(pods, { program, version, seconds, seed });
  const thin: Map<string, History>[] = [];
  let found: Disagreement[] = pods.map((pod) => ({ pod, differences: [] }));
  while (thin.length < count && found.length > 0) {
    thin.push(await runPods(podsOf(found), { version, seconds, seed: seed * 1000 + thin.length }));
    found = found.flatMap(({ pod }) => {
      const differences = differencesOf(pod, real.get(pod.name) ?? new Map(), thin, until);
      return differences.length > 0 ? [{ pod, differences }] : [];
    });
  }
  return found;
}

/** Differences of a pod's history under the program from all runs of the thin kubelet. */
export const differencesOf = (
  pod: PodCase,
  real: History,
  runs: readonly ReadonlyMap<string, History>[],
  until: number,
): readonly Difference[] =>
  differencesFrom(
    real,
    runs.flatMap((run) => run.get(pod.name) ?? []),
    until,
    containersOf(pod).length,
  );
