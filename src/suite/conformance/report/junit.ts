import {
  type JunitCase,
  type JunitOutcome,
  type JunitSuite,
  toJunitXml,
} from '../../../base/markup/junit.js';
import { groups } from '../rules.js';
import { describeFailure } from './failure-text.js';
import { nameOf, type SavedReport, type SavedResult } from './saved.js';

/** JUnit XML with one suite per group. A known deviation counts as skipped, with its failure. */
export function toJunit(report: SavedReport): string {
  const { results, unusable, incomplete, duration, startedAt } = report;
  const suites: JunitSuite[] = groups.flatMap((group) => {
    const cases = results.filter((result) => result.group === group).map(caseOf);
    return cases.length > 0 ? [{ name: group, cases }] : [];
  });
  if (unusable !== undefined) suites.push(endpointSuite('can be tested', unusable));
  if (incomplete !== undefined) suites.push(endpointSuite('responds until the end', incomplete));
  return toJunitXml(suites, { name: nameOf(report), duration, ...(startedAt && { startedAt }) });
}

function caseOf(result: SavedResult): JunitCase {
  const outcome = outcomeOf(result);
  const { group, id, rule, duration } = result;
  return { className: group, name: `${id} ${rule}`, duration, ...(outcome && { outcome }) };
}

function outcomeOf(result: SavedResult): JunitOutcome | undefined {
  const { outcome, failure, reason, deviation } = result;
  const text = describeFailure(result);
  if (outcome === 'failed') return { kind: 'failure', message: `expected ${failure?.expected}`, text };
  if (outcome === 'skipped') return { kind: 'skipped', message: reason ?? '' };
  if (outcome !== 'deviates') return undefined;
  return { kind: 'skipped', message: `known deviation: ${deviation?.why} (${deviation?.link})`, text };
}

const endpointSuite = (name: string, message: string): JunitSuite => ({
  name: 'endpoint',
  cases: [{ className: 'endpoint', name, duration: 0, outcome: { kind: 'error', message } }],
});
