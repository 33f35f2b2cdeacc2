import { describe, expect, test } from 'vitest';
import { InputError } from '../../base/input/yaml.js';
import { backoffCommand, backoffText } from './backoff.js';

/** Output with the command's defaults and some options. */
function print(options: Record<string, string> = {}, columns = 80): string {
  const command = backoffCommand();
  command.parseOptions(
    Object.entries(options).flatMap(([name, value]) => [`--${name}`, value].filter(Boolean)),
  );
  return backoffText(command.opts(), columns);
}

test('prints a table with bars', () => {
  expect(print({ restarts: '8' }, 70)).toMatchInlineSnapshot(`
    "kubelet 1.37: back-off 10s to 5m0s, reset after 10m0s
    container: runs 3s, then exit 1 (Error), restartPolicy Always

    RESTART  AT      WAITS  AT MOST
    1        3s      0s     2s       no back-off yet
    2        16s     10s    16s      █▎
    3        39s     20s    31s      ██▌
    4        1m22s   40s    1m1s     ████▉
    5        2m45s   1m20s  1m31s    █████████▉
    6        5m28s   2m40s  3m1s     ███████████████████▊
    7        10m31s  5m0s   5m31s    █████████████████████████████████████
    8        15m34s  5m0s   5m31s    █████████████████████████████████████
    "
  `);
});

test('prints JSON rows in seconds', () => {
  const rows = print({ json: '', restarts: '3', run: '1s' }).trim().split('\n');
  expect(rows.map((row) => JSON.parse(row))).toEqual([
    { restart: 1, waits: 0, latest: 2, at: 1, why: 'first' },
    { restart: 2, waits: 10, latest: 16, at: 12, why: 'back-off' },
    { restart: 3, waits: 20, latest: 31, at: 33, why: 'back-off' },
  ]);
});

describe('limits', () => {
  const first = (options: Record<string, string>) => print(options).split('\n')[0];
  test.each([
    [{}, 'kubelet 1.37: back-off 10s to 5m0s, reset after 10m0s'],
    [{ 'kubelet-version': '1.28' }, 'kubelet 1.28: back-off 10s to 5m0s, reset after 10m0s'],
    [
      { 'kubelet-version': '1.34', 'feature-gates': 'ReduceDefaultCrashLoopBackOffDecay=true' },
      'kubelet 1.34: back-off 1s to 1m0s, reset after 10m0s',
    ],
    [
      { 'feature-gates': 'ReduceDefaultCrashLoopBackOffDecay=true' },
      'kubelet 1.37: back-off 1s to 5m0s, reset after 10m0s',
    ],
    [{ max: '5s' }, 'kubelet 1.37: back-off 5s to 5s, reset after 10m0s'],
    [{ initial: '2s', max: '8s', reset: '1m' }, 'kubelet 1.37: back-off 2s to 8s, reset after 1m0s'],
  ])('%j: %s', (options, expected) => expect(first(options)).toBe(expected));
});

test.each([
  [{ run: '3' }, 'run: expected a duration such as'],
  [{ initial: '0s' }, 'initial: expected more than 0s'],
  [{ restarts: '2000' }, 'restarts'],
  [{ exit: 'x' }, 'exit: expected a whole number from 0 to 255'],
  [{ 'kubelet-version': '1.99' }, 'expected one of 1.28 to 1.37'],
  [
    { 'feature-gates': 'EventedPLEG' },
    'expected NAME=true or NAME=false, separated by commas; given "EventedPLEG"',
  ],
])('%j is refused', (options, message) => {
  expect(() => print(options)).toThrow(InputError);
  expect(() => print(options)).toThrow(message);
});
