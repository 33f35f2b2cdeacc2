import { type Difference, differencesFrom } from './compare.js';
import type { History } from './history.js';
import { containersOf, type PodCase } from './pod-case.js';
import { type RunOptions, runPods } from './run.js';

/** Two kubelets that are compared. */
export interface Pair extends Pick<RunOptions, 'version' | 'seconds'> {
  readonly program: string;
  /** Until when pods are compared, in s after they came. */
  readonly until: number;
}

/** A pod that the two kubelets treat differently. */
export interface Disagreement {
  readonly pod: PodCase;
  readonly differences: readonly Difference[];
}

/** Runs of the thin kubelet that a first look has, those of a second look, and so many more that decide. */
const FEW = 2;
const MANY = 12;
const MOST = 120;

/**
 * Pods that the program treats in a way that the thin kubelet has with no seed. A few runs choose pods; these run again by
 * themselves with other seeds, and what differs in both is a disagreement, unless one of many more runs of the thin kubelet has it.
 */
export async function disagreements(
  pods: readonly PodCase[],
  pair: Pair,
  seed: number,
): Promise<{ readonly suspected: number; readonly found: readonly Disagreement[] }> {
  const first = await compare(pods, pair, seed, FEW);
  if (first.length === 0) return { suspected: 0, found: [] };
  const suspects = first.map(({ pod }) => pod);
  const second = await observe(suspects, pair, seed + 1);
  let found: readonly Disagreement[] = first;
  for (let count = MANY; count <= MOST && found.length > 0; count += MANY) {
    await second.runThin(
      found.map(({ pod }) => pod),
      MANY,
    );
    found = inBoth(found, second.disagreements());
  }
  return { suspected: suspects.length, found };
}

/** What one says that the other one says too, pod by pod and track by track. */
function inBoth(one: readonly Disagreement[], other: readonly Disagreement[]): Disagreement[] {
  const tracks = new Map(one.map(({ pod, differences }) => [pod, differences.map(({ track }) => track)]));
  return other.flatMap(({ pod, differences }) => {
    const again = differences.filter(({ track }) => tracks.get(pod)?.includes(track));
    return again.length > 0 ? [{ pod, differences: again }] : [];
  });
}

/** What differs in one run of the program from as many of the thin kubelet. */
export async function compare(
  pods: readonly PodCase[],
  pair: Pair,
  seed: number,
  count: number,
): Promise<Disagreement[]> {
  const observed = await observe(pods, pair, seed);
  await observed.runThin(pods, count);
  return observed.disagreements();
}

/** Where a pod's history under the program is none that a run of the thin kubelet has. */
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

/** One run of the program, and as many of the thin kubelet as it is compared with. */
interface Observed {
  runThin(pods: readonly PodCase[], count: number): Promise<void>;
  disagreements(): Disagreement[];
}

async function observe(
  pods: readonly PodCase[],
  { program, version, seconds, until }: Pair,
  seed: number,
): Promise<Observed> {
  const real = await runPods(pods, { program, version, seconds, seed });
  const thin: Map<string, History>[] = [];
  return {
    runThin: async (chosen, count) => {
      for (let index = 0; index < count; index++)
        thin.push(await runPods(chosen, { version, seconds, seed: seed * 1000 + thin.length }));
    },
    disagreements: () =>
      pods.flatMap((pod) => {
        const differences = differencesOf(pod, real.get(pod.name) ?? new Map(), thin, until);
        return differences.length > 0 ? [{ pod, differences }] : [];
      }),
  };
}
