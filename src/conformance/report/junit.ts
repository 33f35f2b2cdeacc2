import { escapeMarkup } from '../../input/markup.js';
import { groups } from '../check.js';
import { countOutcomes } from './counts.js';
import { element } from './element.js';
import { describeFailure } from './failure-text.js';
import type { SavedReport, SavedResult } from './saved.js';

/** JUnit XML with one suite per group. A known deviation counts as skipped, with its failure. */
export function toJunit(report: SavedReport): string {
  const suites = groups.flatMap((group) => {
    const results = report.results.filter((result) => result.group === group);
    return results.length > 0 ? [suite(group, results)] : [];
  });
  if (report.unusable !== undefined) suites.push(unusableSuite(report.unusable));
  const name = report.runtime ? `${report.runtime.name} ${report.runtime.version}` : report.endpoint;
  const attributes = {
    name,
    ...totals(report.results),
    time: seconds(report.duration),
    ...(report.startedAt && { timestamp: report.startedAt }),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', attributes, suites)}\n`;
}

const suite = (group: string, results: readonly SavedResult[]): string =>
  element(
    'testsuite',
    {
      name: group,
      ...totals(results),
      time: seconds(results.reduce((sum, result) => sum + result.duration, 0)),
    },
    results.map(testCase),
  );

function testCase(result: SavedResult): string {
  const { group, id, rule, duration, outcome, failure, reason, deviation } = result;
  const attributes = { classname: group, name: `${id} ${rule}`, time: seconds(duration) };
  if (outcome === 'failed') {
    const message = `expected ${failure?.expected}`;
    return element('testcase', attributes, [
      element('failure', { message }, [escapeMarkup(describeFailure(result))]),
    ]);
  }
  if (outcome === 'skipped') return element('testcase', attributes, [skip(reason ?? '')]);
  if (outcome === 'deviates')
    return element('testcase', attributes, [
      skip(`known deviation: ${deviation?.why} (${deviation?.link})`),
      element('system-out', {}, [escapeMarkup(describeFailure(result))]),
    ]);
  return element('testcase', attributes, []);
}

const skip = (message: string): string => element('skipped', { message }, []);

const unusableSuite = (reason: string): string =>
  element('testsuite', { name: 'endpoint', tests: 1, failures: 0, errors: 1, skipped: 0, time: '0.000' }, [
    element('testcase', { classname: 'endpoint', name: 'can be tested', time: '0.000' }, [
      element('error', { message: reason }, []),
    ]),
  ]);

function totals(results: readonly SavedResult[]) {
  const { failed, skipped, deviates } = countOutcomes(results);
  return { tests: results.length, failures: failed, errors: 0, skipped: skipped + deviates };
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
