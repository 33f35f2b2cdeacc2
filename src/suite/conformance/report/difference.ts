import { nameOf, type SavedOutcome, type SavedReport, type SavedResult } from './saved.js';

interface Difference {
  readonly id: string;
  readonly rule: string;
  /** One for each report; undefined if the check did not run. */
  readonly outcomes: readonly (SavedOutcome | undefined)[];
}

function differences(reports: readonly SavedReport[]): readonly Difference[] {
  const byId = reports.map(({ results }) => new Map(results.map((result) => [result.id, result])));
  const checks = new Map<string, SavedResult>(byId.flatMap((results) => [...results]));
  return [...checks.values()].flatMap(({ id, rule }) => {
    const outcomes = byId.map((results) => results.get(id)?.outcome);
    return new Set(outcomes).size > 1 ? [{ id, rule, outcomes }] : [];
  });
}

/** Formats the checks whose outcomes differ: the check, its outcome in each report, and the rule. */
export function toDifference(reports: readonly SavedReport[]): string {
  const names = reports.map((report, index) => `${index + 1}: ${nameOf(report)}`);
  const found = differences(reports);
  const lines = found.flatMap(({ id, rule, outcomes }) => {
    const said = outcomes.map((outcome, index) => `${index + 1} ${outcome ?? 'not run'}`);
    return [`${id}: ${said.join(', ')}`, `    ${rule}`];
  });
  return `${[...names, ...lines, `${found.length} checks differ`].join('\n')}\n`;
}
