import { expect, it } from 'vitest';
import { readLines } from '../../../src/lab/reproduce/read/read-lines.js';

// Lines on which a pattern with several repetitions would take time with the square of their length.

/** Characters of a line. */
const LONG = 16_000;
/** In a file of 64 MiB there are a hundred times as many. */
const LINES = 40;
/** Of the processor, which a busy machine does not lengthen. */
const MOST_SECONDS = 2;

const spaces = ' '.repeat(LONG);
const event = '5m Warning BackOff pod/web spec.x  a  b';
const container = '0123456789abcdef img';
const attacks: Readonly<Record<string, string>> = {
  'spaces in an event': `${event}${spaces}c`,
  'columns in an event': `${event}${'  b  1'.repeat(LONG / 6)}`,
  'spaces in a time of crictl': `${container} 2024-x${spaces}y`,
  'a long time of crictl': `${container} 2024-${'x'.repeat(LONG)}`,
  'many ends of a time of crictl': `${container} x${' ago'.repeat(LONG / 4)}${spaces}y`,
  'many states of crictl': `${container} 2024-${'x Running y 1 '.repeat(LONG / 14)}`,
  'zones in a condition': `Ready True Mon, ${'+0000 Mon, '.repeat(LONG / 22)}${' +0000'.repeat(LONG / 12)}`,
  'errors in a log': `I0102 03:04:05.6 1 a:1] ${'Error syncing pod Kill'.repeat(LONG / 22)}`,
  'calls in a log': `I0102 03:04:05.6 1 a:1] ${'ListPodSandbox with filter'.repeat(LONG / 26)}`,
};

it.each(Object.entries(attacks))('%s: lines are read in time', (_, line) => {
  const before = process.cpuUsage();
  const { lines } = readLines(`${line}\n`.repeat(LINES), 'saw.txt');
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(MOST_SECONDS);
  expect(lines.read + lines.unread).toBe(LINES);
});

it('a file with too many rows is refused before all of it is read', () => {
  const row = 'web 0/1 CrashLoopBackOff 1 5s\n';
  expect(readLines(row.repeat(50_000), 'saw.txt').seen).toHaveLength(50_000);
  expect(() => readLines(row.repeat(50_001), 'saw.txt')).toThrow(
    '--saw: saw.txt: it has more than 50000 rows',
  );
});

it('the columns of kubectl get events -o wide are not part of the message', () => {
  const text =
    '5m  Warning  BackOff  pod/web  spec.containers{app}  kubelet, node-1  Back-off  restarting  5m  3  web.17a\n';
  expect(readLines(text, 'saw.txt').seen).toMatchObject([
    { what: 'event', pod: 'web', message: 'Back-off  restarting' },
  ]);
});
