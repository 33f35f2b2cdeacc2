import { formatDuration } from '../../input/duration.js';
import type { Expected, Window } from './expect-schema.js';
import type { LoadedScenario } from './loaded-scenario.js';
import type { Note, Path } from './mistakes.js';

/** Notes the times that no run of the scenario reaches. */
export function checkTimes({ timeline, expect, variants, until }: LoadedScenario, note: Note): void {
  const reached = (time: number | undefined, path: Path) => {
    if (time !== undefined && time > until)
      note(path, `${formatDuration(time)} is after the end of the run; "until" is ${formatDuration(until)}`);
  };
  for (const [index, { at }] of timeline.entries()) reached(at, ['timeline', index, 'at']);
  checkExpectedTimes(expect, ['expect'], reached);
  for (const [index, variant] of variants.entries())
    checkExpectedTimes(variant.expect, ['variants', index, 'expect'], reached);
}

function checkExpectedTimes(
  expect: Expected,
  path: Path,
  reached: (time: number | undefined, path: Path) => void,
): void {
  for (const [index, { from }] of expect.rules.entries()) reached(from, [...path, 'rules', index, 'from']);
  for (const [index, { at }] of expect.metrics.entries()) reached(at, [...path, 'metrics', index, 'at']);
  for (const list of ['rows', 'rowsInclude', 'lastRow', 'events', 'nodes', 'log', 'calls', 'gone'] as const)
    for (const [index, each] of expect[list].entries()) {
      const { within }: { readonly within?: Window } = each;
      reached(within?.[0], [...path, list, index, 'within']);
    }
}
