import { element } from '../../conformance/report/element.js';
import { escapeMarkup } from '../../input/markup.js';
import { runRuleNames } from '../../scenario/rules/table.js';
import { progressRules } from '../progress.js';
import type { Summary, SummaryFinding } from './summary.js';

/** JUnit XML: a test for each finding and for each rule that nothing breaks. A known finding counts as skipped. */
export function toJunit({ findings }: Summary): string {
  const broken = new Set(findings.map(({ rule }) => rule));
  const kept = [...runRuleNames, ...progressRules, 'no-exception', 'expectation'].filter(
    (rule) => !broken.has(rule),
  );
  const known = findings.filter((each) => each.known !== undefined).length;
  const counts = {
    tests: findings.length + kept.length,
    failures: findings.length - known,
    errors: 0,
    skipped: known,
  };
  const cases = [
    ...findings.map(testCase),
    ...kept.map((rule) => element('testcase', { classname: 'mockri explore', name: rule }, [])),
  ];
  const suite = element('testsuite', { name: 'mockri explore', ...counts }, cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', counts, [suite])}\n`;
}

function testCase({ kind, message, known, perturbations, replay }: SummaryFinding): string {
  const text = escapeMarkup([message, ...perturbations.map((each) => `after: ${each}`), replay].join('\n'));
  const first = message.split('\n')[0] ?? '';
  const outcome =
    known === undefined
      ? element('failure', { message: first }, [text])
      : element('skipped', { message: known }, []);
  return element('testcase', { classname: 'mockri explore', name: kind }, [outcome]);
}
