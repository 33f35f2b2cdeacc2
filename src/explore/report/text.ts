import { assumptionLines } from '../../scenario/manifests/assumptions.js';
import type { Summary, SummaryFinding } from './summary.js';

/** The summary for people. */
export function summaryText(summary: Summary): string {
  const { schedules, perSecond, coverage, findings, finished, guesses = [], notes = [] } = summary;
  const open = findings.filter(({ known }) => known === undefined).length;
  const known = findings.length - open;
  const parts = [
    `${schedules} schedules (${perSecond.toFixed(1)} a second)`,
    `${coverage} states`,
    `${open} findings${known > 0 ? ` and ${known} known ones` : ''}`,
    ...(finished ? [] : ['interrupted']),
  ];
  return [
    ...assumptionLines({ guesses, notes }),
    ...findings.map(findingText),
    ...versionLines(findings),
    parts.join(', '),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function findingText(finding: SummaryFinding): string {
  const { rule, message, perturbations, explanation, page, replay, known, real } = finding;
  const first = message.split('\n')[0] ?? '';
  return [
    `${rule}${known === undefined ? '' : ` (known: ${known})`}`,
    `  ${first}`,
    ...perturbations.map((text) => `  after: ${text}`),
    ...(real === undefined ? [] : [`  real kubelet: ${real.verdict}: ${real.text.split('\n')[0]}`]),
    `  see ${explanation}`,
    ...(page === undefined ? [] : [`  look at ${page}`]),
    `  ${replay}`,
    '',
  ].join('\n');
}

/** Which finding is there in which version. */
function versionLines(findings: readonly SummaryFinding[]): string[] {
  const versions = Object.keys(findings.find((each) => each.versions !== undefined)?.versions ?? {});
  if (versions.length === 0) return [];
  const cell = (there: boolean | null | undefined) => (there == null ? '-' : there ? 'X' : '.');
  const rows = findings.map(({ kind, versions: by }) =>
    [...versions.map((version) => cell(by?.[version]).padEnd(4)), kind].join('  '),
  );
  const legend = 'X: the finding is there; .: it is not; -: the scenario does not run with this kubelet';
  return [[...versions.map((version) => version.padEnd(4)), 'FINDING'].join('  '), ...rows, legend, ''];
}
