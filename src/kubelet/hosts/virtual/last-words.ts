import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** Bytes to read from the end of a log, which can be longer than the longest string. */
const END = 16 * 1024 * 1024;
const MOST_LINES = 20;

const shown = (lines: readonly string[]): string => lines.map((line) => `\n${line}`).join('');

/**
 * Last output of a program that has ended: its panic or goroutines, otherwise its errors, otherwise its last lines.
 * Starts with a line break; empty for an empty log. Ignores the bytes before `from`.
 */
export function lastWords(file: string, from = 0): string {
  const end = endOf(file, from).trimEnd();
  if (end === '') return '';
  const lines = end.split('\n');
  const dump = lines.findLastIndex((line) => /^(panic:|fatal error:|SIGQUIT:|virtual time:)/.test(line));
  if (dump >= 0) return shown(lines.slice(dump, dump + MOST_LINES));
  const errors = lines.filter((line) => /^([EF]\d{4} |Error: )/.test(line));
  return shown((errors.length > 0 ? errors : lines).slice(-MOST_LINES / 4));
}

function endOf(file: string, from: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const { size } = fstatSync(descriptor);
    const end = Buffer.alloc(Math.min(size - from, END));
    const length = readSync(descriptor, end, 0, end.length, size - end.length);
    return end.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}
