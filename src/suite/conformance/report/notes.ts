import { type Severity, severities, severityOf } from '../rules.js';
import type { SavedResult } from './saved.js';

/** Explains an outcome in one line: why, and what to do. Undefined if the outcome says everything. */
export function noteOf({ id, outcome, reason, deviation }: SavedResult): string | undefined {
  if (outcome === 'skipped') return reason?.split('\n')[0];
  if (outcome === 'deviates') return `known deviation: ${deviation?.why} (${deviation?.link})`;
  if (outcome === 'surprise') return `passes, although this was expected: ${deviation?.why}. ${whatToDo(id)}`;
  return undefined;
}

const whatToDo = (id: string): string =>
  `To do: run --focus ${id} --repeat 20. If it passes, this version is fixed: limit the deviation to the versions before it, in src/suite/deviations, or report this line to Mockri. If it fails at times, the deviation depends on timing`;

/** The results with broken rules, worst first; results of the same severity keep their order. */
export const worstFirst = (results: readonly SavedResult[]): readonly SavedResult[] =>
  results
    .filter(({ outcome }) => outcome === 'failed')
    .map((result, index) => ({ result, index, rank: severities.indexOf(severityOf(result.id)) }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ result }) => result);

/** `1 lost, 3 status`: broken rules by severity; empty if there is none. */
export function countSeverities(results: readonly SavedResult[]): string {
  const counts = new Map<Severity, number>();
  for (const { id, outcome } of results)
    if (outcome === 'failed') counts.set(severityOf(id), (counts.get(severityOf(id)) ?? 0) + 1);
  return severities
    .flatMap((severity) => {
      const count = counts.get(severity);
      return count === undefined ? [] : [`${count} ${severity}`];
    })
    .join(', ');
}
