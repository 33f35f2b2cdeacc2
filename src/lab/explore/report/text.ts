import { counted } from '../../../base/input/counted.js';
import { assumptionLines } from '../../scenario/file/assumptions.js';
import { type Cause, causesOf } from '../causes/causes.js';
import { kindText } from './kind-text.js';
import type { Summary, SummaryFinding } from './summary.js';

const BEGIN = 3;

export function summaryText(summary: Summary): string {
  const { schedules, perSecond, coverage, findings, finished, guesses = [], notes = [] } = summary;
  const causes = causesOf(findings);
  const fresh = causes.filter(({ isKnown }) => !isKnown);
  const parts = [
    `${counted(schedules, 'schedule')} (${perSecond.toFixed(1)} a second)`,
    counted(coverage, 'state'),
    countText(causes),
    ...(finished ? [] : ['interrupted']),
  ];
  return [
    ...assumptionLines({ guesses, notes }),
    ...fresh.map(causeText),
    ...knownLines(causes.filter(({ isKnown }) => isKnown)),
    ...versionLines(findings),
    parts.join(', '),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

/** `51 findings, 8 causes, 3 of them known; begin with the first 3`. */
function countText(causes: readonly Cause<SummaryFinding>[]): string {
  const count = causes.reduce((sum, { findings }) => sum + findings.length, 0);
  if (count === 0) return 'no findings';
  const known = causes.filter(({ isKnown }) => isKnown).length;
  const fresh = Math.min(BEGIN, causes.length - known);
  const text = `${counted(count, 'finding')}, ${counted(causes.length, 'cause')}`;
  if (fresh === 0) return `${text}, all known`;
  const begin = causes.length <= BEGIN ? '' : `; begin with the first${fresh === 1 ? '' : ` ${fresh}`}`;
  return `${text}${known > 0 ? `, ${known} of them known` : ''}${begin}`;
}

function causeText({ first, findings }: Cause<SummaryFinding>, index: number): string {
  const { rule, message, decision, perturbations, explanation, page, replay, real } = first;
  const more = findings.slice(1);
  return [
    `${index + 1}. ${rule}: ${message.split('\n')[0] ?? ''}`,
    `   ${decision}`,
    ...perturbations.map((text) => `   after: ${text}`),
    ...(real === undefined ? [] : [`   real kubelet: ${real.verdict}: ${real.text.split('\n')[0]}`]),
    `   see ${explanation}`,
    ...(page === undefined ? [] : [`   look at ${page}`]),
    `   ${replay}`,
    ...(more.length === 0 ? [] : ['   same consequence after:']),
    ...more.map(
      (each) =>
        `     ${each.perturbations.join('; and ') || 'nothing'}: ${each.explanation}${realText(each)}`,
    ),
    '',
  ].join('\n');
}

/** One line for each known cause, because known ones need no attention. */
function knownLines(known: readonly Cause<SummaryFinding>[]): string[] {
  const [cause] = known;
  if (cause === undefined) return [];
  const lines = known.map(({ first, findings }) => {
    const count = findings.length === 1 ? '' : ` (${findings.length} findings)`;
    const why = first.known ?? first.behavior ?? '';
    return `  ${first.rule}${count}, after ${first.perturbations.join('; and ') || 'nothing'}: ${why.split('\n')[0]}`;
  });
  return [`Known (see ${cause.first.explanation}):`, ...lines, ''];
}

const realText = ({ real }: SummaryFinding): string =>
  real === undefined ? '' : ` (real kubelet: ${real.verdict})`;

function versionLines(findings: readonly SummaryFinding[]): string[] {
  const versions = Object.keys(findings.find((each) => each.versions !== undefined)?.versions ?? {});
  if (versions.length === 0) return [];
  const cell = (there: boolean | null | undefined) => (there == null ? '-' : there ? 'X' : '.');
  const rows = findings.map(({ kind, versions: by }) =>
    [...versions.map((version) => cell(by?.[version]).padEnd(4)), kindText(kind)].join('  '),
  );
  const legend = 'X: finding; .: no finding; -: the scenario does not run with this kubelet';
  return [[...versions.map((version) => version.padEnd(4)), 'FINDING'].join('  '), ...rows, legend, ''];
}

/** The page of all known findings. */
export const knownPage = (findings: readonly SummaryFinding[]): string =>
  findings
    .map(({ kind, message, perturbations, known, behavior, replay }) =>
      [
        kind,
        `  ${message.split('\n')[0] ?? ''}`,
        ...perturbations.map((text) => `  after: ${text}`),
        `  ${known === undefined ? 'known behavior of Kubernetes' : 'accepted'}: ${known ?? behavior}`,
        `  ${replay}`,
        '',
      ].join('\n'),
    )
    .join('\n');
