import { type JunitCase, toJunitXml } from '../../../base/markup/junit.js';
import { runRuleNames } from '../../../tape/judge/kubelet/table.js';
import { baselineRules } from '../run/baseline.js';
import type { Summary, SummaryFinding } from './summary.js';

const SUITE = 'mockri explore';

/** JUnit XML with a test for each finding and for each unbroken rule. A known finding counts as skipped. */
export function toJunit({ findings }: Summary): string {
  const broken = new Set(findings.map(({ rule }) => rule));
  const kept = [...runRuleNames, ...baselineRules, 'no-exception', 'expectation'].filter(
    (rule) => !broken.has(rule),
  );
  const passed = kept.map((name): JunitCase => ({ className: SUITE, name }));
  return toJunitXml([{ name: SUITE, cases: [...findings.map(caseOf), ...passed] }]);
}

function caseOf({ kind, message, known, perturbations, replay }: SummaryFinding): JunitCase {
  const text = [message, ...perturbations.map((each) => `after: ${each}`), replay].join('\n');
  const outcome =
    known === undefined
      ? { kind: 'failure' as const, message: message.split('\n')[0] ?? '', text }
      : { kind: 'skipped' as const, message: known };
  return { className: SUITE, name: kind, outcome };
}
