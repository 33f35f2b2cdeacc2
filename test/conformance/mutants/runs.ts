/**
 * How often the suite finds each mutant, each run with another seed: `npm run measure:mutants -- [RUNS] [PATTERN]
 * [FIRST]`, by default 10 runs of every mutant, the first with seed 1. Prints a line for each missed one, and exits
 * with 1 if there is one.
 */
import { Unusable } from '../../../src/suite/conformance/index.js';
import { mutants } from './index.js';
import { missedBy } from './judge.js';
import type { Mutant } from './mutant.js';

const [runs = '10', pattern = '', first = '1'] = process.argv.slice(2);
const RUNS = Number(runs);
if (!(RUNS >= 1)) throw new Error(`RUNS: expected a number of at least 1; given "${runs}"`);
const FIRST = Number(first);
if (!(FIRST >= 1)) throw new Error(`FIRST: expected a number of at least 1; given "${first}"`);

/** Most of the time each waits for a process or an event. */
const AT_ONCE = 4;

/** Attempts for an endpoint that did not respond in time on a busy machine, and so was not judged. */
const TRIES = 5;

async function judged(mutant: Mutant, seed: number): Promise<readonly string[]> {
  for (let tries = 1; ; tries++) {
    try {
      return await missedBy(mutant, seed);
    } catch (error) {
      if (!(error instanceof Unusable) || tries === TRIES) return [String(error)];
    }
  }
}

const chosen = mutants.filter(({ name, breaks }) => new RegExp(pattern).test(`${breaks.join(' ')} ${name}`));
if (chosen.length === 0) throw new Error(`PATTERN: no mutant matches "${pattern}"`);
const queue: readonly { readonly mutant: Mutant; readonly seed: number }[] = Array.from(
  { length: RUNS },
  (_, index) => chosen.map((mutant) => ({ mutant, seed: FIRST + index })),
).flat();
/** The checks that missed each mutant: one list for each run that missed any. */
const missed = new Map<Mutant, (readonly string[])[]>();

let next = 0;
async function work(): Promise<void> {
  for (let task = queue[next++]; task !== undefined; task = queue[next++]) {
    const { mutant, seed } = task;
    const checks = await judged(mutant, seed);
    if (checks.length === 0) continue;
    missed.set(mutant, [...(missed.get(mutant) ?? []), checks]);
    process.stderr.write(`seed ${seed} missed "${mutant.name}": ${checks.join(', ')}\n`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
for (const [{ name }, lists] of missed)
  process.stdout.write(`found in ${RUNS - lists.length} of ${RUNS} runs: ${name} (${lists[0]?.[0]})\n`);
process.stdout.write(
  `${chosen.length - missed.size} of ${chosen.length} mutants found in ${RUNS} of ${RUNS} runs\n`,
);
process.exit(missed.size > 0 ? 1 : 0);
