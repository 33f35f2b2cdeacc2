import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  isKnown,
  KNOWN_FILE,
  SUMMARY_FILE,
  type Summary,
  type SummaryFinding,
} from '../../../lab/explore/report/summary.js';
import { knownPage, summaryText } from '../../../lab/explore/report/text.js';

export interface OutcomeFlags {
  readonly out: string;
  readonly json?: boolean | undefined;
  readonly new?: boolean | undefined;
}

/**
 * Writes findings.json and the page of known findings, and prints the summary. Returns the exit code: 1 for findings
 * that are not accepted; with `--new`, only for those that are not known behavior of Kubernetes either.
 */
export async function publish(summary: Summary, flags: OutcomeFlags): Promise<number> {
  await writeFile(join(flags.out, SUMMARY_FILE), `${JSON.stringify(summary, null, 2)}\n`);
  const known = summary.findings.filter(isKnown);
  if (known.length > 0) await writeFile(join(flags.out, KNOWN_FILE), knownPage(known));
  process.stdout.write(flags.json ? `${JSON.stringify(summary)}\n` : summaryText(summary));
  const fails = ({ known, behavior }: SummaryFinding) =>
    known === undefined && !(flags.new === true && behavior !== undefined);
  return summary.findings.some(fails) ? 1 : 0;
}
