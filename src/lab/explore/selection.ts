import { nearest } from '../../base/input/suggest.js';
import { InputError } from '../../base/input/yaml.js';
import { allMethods } from '../../cri/methods.js';
import type { LoadedScenario } from '../scenario/file/loaded-scenario.js';
import { candidatesOf, isChosen } from './catalog/catalog.js';
import { otherSeeds } from './catalog/seeds.js';
import { createRunner } from './run/runner.js';

/**
 * Throws InputError if `--only` selects no perturbation of these runs, or if one of its words is neither an RPC nor
 * part of a perturbation: the exploration would find nothing. `hasSeeds`: other seeds are also tried.
 */
export async function checkSelection(
  scenarios: readonly LoadedScenario[],
  only: readonly string[],
  hasSeeds: boolean,
): Promise<void> {
  if (only.length === 0) return;
  const outcomes = await Promise.all(scenarios.map((scenario) => createRunner(scenario).run([])));
  const seeds = hasSeeds ? scenarios.flatMap(({ seed }) => otherSeeds(seed)) : [];
  const candidates = [...outcomes.flatMap(({ points }) => candidatesOf(points)), ...seeds];
  const all = candidates.map(({ perturbation }) => perturbation);
  const methods = allMethods.map(({ name }) => name);
  const isUsed = (word: string) => word !== '' && all.some((each) => isChosen(each, [word]));
  const unused = only.filter((word) => !isUsed(word));
  // A call that occurs only after another fault is valid, but not as the only selection, because nothing leads to it
  // then.
  const wrong = unused.length === only.length ? unused[0] : unused.find((word) => !methods.includes(word));
  if (wrong === undefined) return;
  const families = [...new Set(all.map(({ family }) => family))].sort();
  const near = methods.includes(wrong) ? undefined : nearest(wrong, [...families, ...methods]);
  const hint =
    near === undefined
      ? `expected ${families.join(', ')}, the name of an RPC, or a part of a kind`
      : `did you mean "${near}"?`;
  throw new InputError([`--only: nothing in this scenario matches ${JSON.stringify(wrong)}; ${hint}`]);
}
