import type { PlannedRun } from './evaluate.js';
import { ROUND, type Trials } from './trials.js';

/** A part of a search that takes turns with others. */
export interface Step {
  /** The part of all runs that it has, from 0 to 1. */
  readonly share: number;
  /** What to try next, which was not tried before: the most promising first. Nothing when all was tried. */
  readonly next: () => readonly PlannedRun[];
}

/**
 * Lets steps take turns, each with its share of the runs, while there is budget and `goesOn`. How much budget there is decides
 * how much is tried, not what: a search with more begins with all that one with less has tried, and its best is never worse.
 */
export async function takeTurns(
  steps: readonly Step[],
  { tryAll, used }: Pick<Trials, 'tryAll' | 'used'>,
  goesOn: () => boolean,
): Promise<void> {
  const spent = new Map(steps.map((step) => [step, 0]));
  let total = 0;
  while (used() < 1 && goesOn()) {
    const turn = nextTurn(steps, (step) => step.share * total - (spent.get(step) ?? 0));
    if (turn === undefined) return;
    spent.set(turn.step, (spent.get(turn.step) ?? 0) + turn.runs.length);
    total += turn.runs.length;
    await tryAll(turn.runs);
  }
}

/** The runs of the step that lacks most; the first one continues until another lacks a whole round. */
function nextTurn(
  steps: readonly Step[],
  lacks: (step: Step) => number,
): { readonly step: Step; readonly runs: readonly PlannedRun[] } | undefined {
  const waiting = steps.filter((step) => lacks(step) >= ROUND).sort((a, b) => lacks(b) - lacks(a));
  for (const step of [...waiting, ...steps]) {
    const runs = step.next().slice(0, ROUND);
    if (runs.length > 0) return { step, runs };
  }
  return undefined;
}
