import type { PlannedRun } from './evaluate.js';
import { ROUND, type Trials } from './trials.js';

export interface Step {
  /** Share of all runs, from 0 to 1. */
  readonly share: number;
  /** Untried runs, most promising first; empty when all were tried. */
  readonly next: () => readonly PlannedRun[];
}

/**
 * Runs steps in turn, each with its share of the runs, within the budget and while `goesOn`. A larger budget only
 * extends the sequence of runs, so its best result is never worse.
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

/** Picks the step furthest behind its share; the first one continues until another lacks a whole round. */
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
