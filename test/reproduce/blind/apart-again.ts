import type { Reproduction } from '../../../src/lab/reproduce/reproduce.js';
import { differences, equalPairs, runsAgain } from '../../../src/lab/reproduce/telling-commands.js';
import type { Simulation } from '../../../src/lab/scenario/run/run.js';

/** Pairs of causes that match equally. */
export interface Apart {
  readonly pairs: number;
  /** Pairs whose first proposed command shows a difference when simulated with another seed. */
  readonly differ: number;
  /** Pairs without a proposed command. */
  readonly silent: number;
}

/**
 * Simulates each pair of equally matching causes with another seed, with which they still show the same observations,
 * and checks the first proposed command.
 */
export async function apartAgain({ causes, apart, seen }: Reproduction): Promise<Apart> {
  const pairs = equalPairs(causes);
  const runs = new Map<number, Simulation | undefined>();
  const runOf = async (number: number) => {
    const cause = causes[number - 1];
    if (!runs.has(number) && cause !== undefined)
      runs.set(number, (await runsAgain(cause, seen, 'another', 1))[0]);
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
