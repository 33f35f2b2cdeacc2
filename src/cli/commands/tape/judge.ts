import { Command } from 'commander';
import { counted } from '../../../base/input/counted.js';
import { type JunitCase, toJunitXml } from '../../../base/markup/junit.js';
import { deviationFor } from '../../../suite/deviations/deviation.js';
import { deviationsOf, type ProfileName, profileFor } from '../../../suite/deviations/index.js';
import type { Header } from '../../../tape/entries.js';
import type { Finding } from '../../../tape/judge/finding.js';
import { judgeTape } from '../../../tape/judge/tape-judge.js';
import { openTape } from '../../../tape/read.js';
import { addOptions, defineOptions, type OptionsOf } from '../../options/define-options.js';
import { knownDeviations } from '../../options/known-deviations.js';

const EXAMPLES = `
Examples:
  $ mockri tape judge run.tape.gz
  $ mockri tape judge *.tape --output junit > judge.xml
  $ mockri tape judge run.tape.gz --profile strict --output json | jq -r .findings[].message

Rules that start with INV are the runtime's (docs/results/invariants.md), those with REF the client's (docs/testing.md), those
with NRI the runtime's or a plugin's (docs/nri.md); those without a number are about the containers of a kubelet (docs/tape.md).
Exit code: 0 no finding, 1 findings, 2 a file is not a tape.
`;

interface Judged extends Finding {
  readonly known?: string;
}

interface Outcome {
  readonly file: string;
  readonly calls: number;
  readonly isCut: boolean;
  readonly profile: ProfileName;
  readonly findings: readonly Judged[];
}

const options = defineOptions({
  '--profile <name>': knownDeviations(
    "runtime whose known deviations are allowed; strict allows none; default: by the runtime's name",
  ),
  '-o, --output <format>': {
    about: 'format on stdout; json prints one object for each tape',
    choices: ['text', 'json', 'junit'],
    default: 'text',
  },
});
type Flags = OptionsOf<typeof options>;

/** `mockri tape judge` shows which rules a tape breaks, where, and which side broke them. */
export function tapeJudgeCommand(): Command {
  return addOptions(new Command('judge'), options)
    .description('check tapes against the rules for runtimes and for their clients')
    .argument('<files...>', 'tapes')
    .addHelpText('after', EXAMPLES)
    .action(judge);
}

async function judge(files: readonly string[], flags: Flags): Promise<void> {
  const outcomes: Outcome[] = [];
  for (const file of files) {
    const outcome = await judgeFile(file, flags.profile);
    outcomes.push(outcome);
    if (flags.output === 'json') process.stdout.write(`${JSON.stringify(outcome)}\n`);
    if (flags.output === 'text') process.stdout.write(textOf(outcome));
  }
  if (flags.output === 'junit') process.stdout.write(toJunit(outcomes));
  if (outcomes.some(({ findings }) => findings.some(({ known }) => known === undefined)))
    process.exitCode = 1;
}

async function judgeFile(file: string, given: ProfileName | undefined): Promise<Outcome> {
  const tape = await openTape(file);
  const { findings, calls } = await judgeTape(tape);
  const profile = given ?? profileFor(tape.header.runtime?.name ?? '');
  const judged = findings.map((finding): Judged => {
    const known = deviationOf(finding, profile, tape.header);
    return known === undefined ? finding : { ...finding, known };
  });
  return { file, calls, isCut: tape.isCut, profile, findings: judged };
}

const deviationOf = ({ rule }: Finding, profile: ProfileName, { runtime }: Header): string | undefined =>
  deviationFor(deviationsOf(profile), rule, runtime?.version ?? '')?.why;

function textOf({ file, calls, isCut, findings }: Outcome): string {
  const lines = findings.map(
    ({ rule, side, message, lines: at, count, known }) =>
      `${file}:${at.join(',')}: ${rule} (${side}): ${message}${count > 1 ? ` (${count} times)` : ''}${known ? `; known: ${known}` : ''}`,
  );
  const open = findings.filter(({ known }) => known === undefined);
  const known = findings.length - open.length;
  const sum = [
    `${file}: ${counted(calls, 'call')}, ${counted(open.length, 'finding')}`,
    ...(known > 0 ? [`${known} known deviations`] : []),
    ...(isCut ? ['the last line is cut off'] : []),
  ];
  return [...lines, sum.join(', ')].map((line) => `${line}\n`).join('');
}

/** JUnit XML: a suite per tape, a case per finding; a known deviation is skipped. */
const toJunit = (outcomes: readonly Outcome[]): string =>
  toJunitXml(
    outcomes.map(({ file, findings }) => ({
      name: file,
      cases: findings.length > 0 ? findings.map(caseOf) : [{ className: 'tape', name: 'no rule is broken' }],
    })),
  );

function caseOf({ rule, side, message, lines, known }: Judged): JunitCase {
  const outcome =
    known === undefined
      ? { kind: 'failure' as const, message: `${message} (lines ${lines.join(', ')})` }
      : { kind: 'skipped' as const, message: known };
  return { className: side, name: rule, outcome };
}
