import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Command } from 'commander';
import { firstOfEach } from '../../../base/input/first-of-each.js';
import { readJsonFile } from '../../../base/input/text-file.js';
import { checkInput } from '../../../base/input/yaml.js';
import {
  KNOWN_FILE,
  SUMMARY_FILE,
  type Summary,
  type SummaryFinding,
  summarizeCauses,
  summarySchema,
} from '../../../lab/explore/report/summary.js';
import { addOptions, defineOptions } from '../../options/define-options.js';
import { makeOutputDirectory } from '../../output/output-directory.js';
import { options as exploreOptions } from './flags.js';
import { type OutcomeFlags, publish } from './outcome.js';

const EXAMPLES = `
Examples:
  $ mockri explore merge shard-1 shard-2 --out all

Exit code: 0 no finding, 1 findings that are not known, 2 a directory has no findings.json.
`;

/** Maximum bytes of a file of findings. */
const LARGEST = 64 * 1024 * 1024;

const options = defineOptions({
  '--out <directory>': { about: 'directory for the merged findings', default: 'explore-findings' },
  '--new': exploreOptions['--new'],
  '--json': { about: 'print one JSON object' },
});

export function exploreMergeCommand(): Command {
  return addOptions(new Command('merge'), options)
    .description('merge the findings of several shards into one directory, one of each kind')
    .argument('<directories...>', 'directories of --out')
    .addHelpText('after', EXAMPLES)
    .action(async (directories: string[], flags: OutcomeFlags) => {
      const summary = merged(directories.map(readSummary));
      await makeOutputDirectory(flags.out, '--out');
      const findings: SummaryFinding[] = [];
      for (const finding of summary.findings) findings.push(await copied(finding, flags.out));
      process.exitCode = await publish({ ...summary, findings, causes: summarizeCauses(findings) }, flags);
    });
}

function readSummary(directory: string): Summary {
  const file = join(directory, SUMMARY_FILE);
  return checkInput(readJsonFile(file, LARGEST), summarySchema, file);
}

/** Keeps one finding of each kind: that of the first directory that reports the kind. */
function merged(summaries: readonly Summary[]): Omit<Summary, 'causes'> {
  const findings = firstOfEach(
    summaries.flatMap((summary) => summary.findings),
    ({ kind }) => kind,
  );
  const sum = (of: (summary: Summary) => number) => summaries.reduce((total, each) => total + of(each), 0);
  return {
    schedules: sum(({ schedules }) => schedules),
    perSecond: sum(({ perSecond }) => perSecond),
    coverage: Math.max(0, ...summaries.map(({ coverage }) => coverage)),
    finished: summaries.every(({ finished }) => finished),
    findings: findings.sort((a, b) => (a.kind < b.kind ? -1 : 1)),
  };
}

async function copied(finding: SummaryFinding, out: string): Promise<SummaryFinding> {
  const place = (file: string) => join(out, basename(file));
  const { file, tape, page, explanation } = finding;
  for (const each of [file, tape, explanation, page])
    if (each !== undefined && each !== place(each) && basename(each) !== KNOWN_FILE)
      await copyFile(each, place(each));
  return {
    ...finding,
    file: place(file),
    ...(tape !== undefined && { tape: place(tape) }),
    ...(page !== undefined && { page: place(page) }),
    explanation: place(explanation),
    replay: finding.replay.replace(file, place(file)),
  };
}
