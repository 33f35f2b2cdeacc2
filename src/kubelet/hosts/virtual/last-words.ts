import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes at the end of a log that are looked at: a program can write more than fits a text. */
const END = 16 * 1024 * 1024;
/** Lines of a log that are shown. */
const MOST_LINES = 20;

/**
 * What a program that has ended said at its end: its panic or goroutines, else its errors, else its last lines. Starts with a
 * line break; empty for an empty log.
 */
export function lastWords(file: string): string {
  const lines = endOf(file).trimEnd().split('\n');
  const dump = lines.findLastIndex((line) => /^(panic:|fatal error:|SIGQUIT:|virtual time:)/.test(line));
  if (dump >= 0) return shown(lines.slice(dump, dump + MOST_LINES));
  const errors = lines.filter((line) => /^([EF]\d{4} |Error: )/.test(line));
  return shown((errors.length > 0 ? errors : lines).slice(-MOST_LINES / 4));
}

function endOf(file: string): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const end = Buffer.alloc(Math.min(size, END));
    const length = readSync(descriptor, end, 0, end.length, size - end.length);
    return end.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

const shown = (lines: readonly string[]): string => lines.map((line) => `\n${line}`).join('');
