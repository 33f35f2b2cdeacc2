import { readFileSync } from 'node:fs';

/** Lines of a log that are shown. */
const MOST_LINES = 20;

/**
 * What a program that has ended said at its end: its panic or goroutines, else its errors, else its last lines. Starts with a
 * line break; empty for an empty log.
 */
export function lastWords(file: string): string {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  const dump = lines.findLastIndex((line) => /^(panic:|fatal error:|SIGQUIT:|virtual time:)/.test(line));
  if (dump >= 0) return shown(lines.slice(dump, dump + MOST_LINES));
  const errors = lines.filter((line) => /^([EF]\d{4} |Error: )/.test(line));
  return shown((errors.length > 0 ? errors : lines).slice(-MOST_LINES / 4));
}

const shown = (lines: readonly string[]): string => lines.map((line) => `\n${line}`).join('');
