import { compare, type Disagreement, type Pair } from './agree.js';
import { kindOf } from './kind.js';
import type { PodCase } from './pod-case.js';
import { simplerPods } from './simpler.js';

/** Runs of the thin kubelet that each step is compared with. */
const RUNS = 10;

/** The smallest pod with a difference of this kind that single steps reach; all steps of a round run on one node. */
export async function shrink(
  { pod, differences }: Disagreement,
  pair: Pair,
  seed: number,
  onStep: (pod: PodCase) => void,
): Promise<Disagreement> {
  const kinds = new Set(differences.map(kindOf));
  let smallest: Disagreement = { pod, differences };
  for (;;) {
    const steps = simplerPods(smallest.pod).map((each, index) => ({ ...each, name: `${pod.name}-${index}` }));
    if (steps.length === 0) return smallest;
    const found = await compare(steps, pair, seed, RUNS);
    const next = found.find((each) => each.differences.some((difference) => kinds.has(kindOf(difference))));
    if (next === undefined) return smallest;
    smallest = { ...next, pod: { ...next.pod, name: pod.name } };
    onStep(smallest.pod);
  }
}
