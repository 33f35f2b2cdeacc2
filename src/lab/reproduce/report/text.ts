import { counted } from '../../../base/input/counted.js';
import { wrapText, wrapTimed } from '../../../base/input/wrap.js';
import { shellWord } from '../../../base/markup/shell-word.js';
import { kindText } from '../../explore/report/kind-text.js';
import { listed } from '../../scenario/manifests/listed.js';
import { type Cause, kindsOf } from '../cause.js';
import { isOfKubelet } from '../distance/events.js';
import type { SeenFile } from '../facts.js';
import { incidentsOf } from '../known.js';
import type { Reproduction } from '../reproduce.js';

const MOST_LINES = 6;

const WIDTH = 80;

export interface WrittenFiles {
  readonly scenarios: readonly string[];
  readonly page?: string | undefined;
}

export function reportText(
  { causes, apart, runs, isCut, seen, others }: Reproduction,
  saw: readonly SeenFile[],
  files: WrittenFiles,
  finished: boolean,
): string {
  const parts = [
    ...saw.flatMap(readText),
    ...leftOut(seen, others),
    ...(seen.shift > 0
      ? [
          `The first observation is ${Math.round(seen.shift / 60)} minutes after the pod's start: the comparison begins there.`,
        ]
      : []),
    '',
    ...headline(causes, runs, isCut),
    ...causes.flatMap((cause, index) => causeText(cause, index, files.scenarios[index])),
    ...apartText(apart),
    ...(files.page === undefined
      ? []
      : [`A page with the observations above the best causes: ${files.page}`, '']),
    `${counted(runs, 'run')}${endText(isCut, finished)}`,
  ];
  return `${parts.flatMap(wrapped).join('\n')}\n`;
}

/** A command stays on one line, so that it can be copied. */
function wrapped(line: string): string[] {
  const [indent = ''] = /^\s*(\d+\. )?/.exec(line) ?? [];
  if (line.length <= WIDTH || /^\s*(npx|kubectl|crictl|curl) /.test(line)) return [line];
  return wrapText(line, ' '.repeat(indent.length + 2), WIDTH);
}

const endText = (isCut: boolean, finished: boolean): string => {
  if (!finished) return ', interrupted';
  return isCut ? '; the budget is used up (--budget)' : '; every candidate was tried';
};

function leftOut(seen: Reproduction['seen'], others: readonly string[]): string[] {
  const elsewhere = notCompared(seen);
  return [
    ...(others.length > 0 ? [`ignored: other pods: ${listed(others)} (choose with --pod NAME)`] : []),
    ...(elsewhere.length > 0 ? [`ignored: events of other components: ${listed(elsewhere)}`] : []),
  ];
}

/** Events of other components: `AddedInterface from multus`. */
export const notCompared = ({ events }: Reproduction['seen']): string[] => [
  ...new Set(
    events
      .filter((each) => !isOfKubelet(each) && each.reason !== 'Scheduled')
      .map(({ reason, source }) => (source === undefined ? reason : `${reason} from ${source}`)),
  ),
];

function apartText(apart: Reproduction['apart']): string[] {
  if (apart.length === 0) return [];
  const lines = apart.flatMap(({ between: [a, b], command, shows }) => [
    `   ${command}`,
    `     shows ${shows[0]} under cause ${a}, and ${shows[1]} under cause ${b}`,
  ]);
  return ['To tell them apart:', ...lines, ''];
}

function readText({ file, parts, lines, examples }: SeenFile): string[] {
  const rest = lines.unread === 0 ? '' : `; not read: ${lines.unread} of ${lines.read + lines.unread}`;
  return [
    `${file}: ${parts.join(', ')}${rest}`,
    ...examples.slice(0, 2).map((line) => `  not read: ${line.slice(0, 100)}`),
  ];
}

/** A search that the budget ended has ruled nothing out. */
function headline([first]: readonly Cause[], runs: number, isCut: boolean): string[] {
  if (first === undefined) return ['No run was made: give more time (--budget).', ''];
  const tried = `in ${counted(runs, 'run')}`;
  const hint = isCut ? 'A larger --budget may find one. ' : '';
  if (first.verdict === 'comes nearest') return [`No match ${tried}. ${hint}Closest:`, ''];
  if (first.verdict === 'fits in part') return [`No complete match ${tried}. ${hint}Closest:`, ''];
  return [];
}

function causeText(cause: Cause, index: number, file: string | undefined): string[] {
  const { fit, unexplained, guesses, explanation } = cause;
  const [, ...also] = kindsOf(cause);
  return [
    `${index + 1}. ${cause.cause}`,
    `   match ${fit.toFixed(2)}; ${nodesText(cause)}`,
    ...(also.length > 0
      ? [
          `   same result with: ${also.slice(0, 3).map(kindText).join('; ')}${also.length > 3 ? `; and ${also.length - 3} more` : ''}`,
        ]
      : []),
    ...incidentsOf(kindsOf(cause)).map(
      ({ scenario, issues }) =>
        `   see npx mockri simulate ${scenario} --explain${issues.length > 0 ? ` (${issues.join(', ')})` : ''}`,
    ),
    ...(cause.key === '' ? [] : guesses.map((guess) => `   assumption: ${guess}`)),
    ...shortened(unexplained.map((line) => `   no match for: ${line}`)),
    ...(index === 0 ? ['', ...shortened(explanation).flatMap(timedLines)] : []),
    ...(file === undefined ? [] : [`   npx mockri simulate ${shellWord(file)} --explain`]),
    '',
  ];
}

const timedLines = (line: string): string[] =>
  wrapTimed(line, WIDTH - 3)
    .split('\n')
    .map((part) => `   ${part}`);

const nodesText = ({ version, versions, runtime, runtimes }: Cause): string =>
  `${withOthers('kubelet', version, versions)}${runtimes.length > 1 || runtime !== 'strict' ? `; ${withOthers('runtime', runtime, runtimes)}` : ''}`;

function withOthers(what: string, own: string, all: readonly string[]): string {
  const others = all.filter((each) => each !== own);
  return `${what} ${own}${others.length > 0 ? ` (also ${others.join(', ')})` : ''}`;
}

const shortened = (lines: readonly string[]): string[] =>
  lines.length <= MOST_LINES
    ? [...lines]
    : [...lines.slice(0, MOST_LINES), `   … ${lines.length - MOST_LINES} more`];
