import { observeRun } from '../../../src/explore/run/observe.js';
import { differences, equalPairs } from '../../../src/reproduce/apart.js';
import type { Reproduction } from '../../../src/reproduce/reproduce.js';
import type { Simulation } from '../../../src/scenario/run/run.js';

/** Of pairs of causes that fit equally. */
export interface Apart {
  readonly pairs: number;
  /** For how many the first command that was proposed shows something else under the two when simulated with another seed. */
  readonly differ: number;
  /** For how many nothing was proposed. */
  readonly silent: number;
}

/** Simulates each two causes that fit equally with another seed, and looks at the first command that is proposed. */
export async function apartAgain({ causes, apart }: Reproduction): Promise<Apart> {
  const pairs = equalPairs(causes);
  const runs = new Map<number, Simulation | undefined>();
  const runOf = async (number: number) => {
    const scenario = causes[number - 1]?.scenario;
    if (!runs.has(number) && scenario !== undefined)
      runs.set(number, (await observeRun({ ...scenario, seed: 'another' })).run);
    return runs.get(number);
  };
  let differ = 0;
  let silent = 0;
  for (const between of pairs) {
    const first = apart.find((each) => each.between.join() === between.join());
    if (first === undefined) {
      silent += 1;
      continue;
    }
    const [left, right] = [await runOf(between[0]), await runOf(between[1])];
    if (left === undefined || right === undefined) continue;
    if (differences(left, right).some(({ command }) => command === first.command)) differ += 1;
  }
  return { pairs: pairs.length, differ, silent };
}
