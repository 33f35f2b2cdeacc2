import { expect, test } from 'vitest';
import { differencesFrom } from '../../support/random-pods/compare.js';
import type { History } from '../../support/random-pods/history.js';

/** A history with one track, of `1.5 CreateContainer 0`. */
const history = (track: string, ...lines: readonly string[]): History =>
  new Map([[track, lines.map((line) => ({ t: Number.parseFloat(line), text: line.replace(/^\S+ /, '') }))]]);

const differ = (track: string, real: readonly string[], thin: readonly string[][], containers = 1) =>
  differencesFrom(
    history(track, ...real),
    thin.map((lines) => history(track, ...lines)),
    70,
    containers,
  ).map(({ what }) => what);

test('behavior that one run of the thin kubelet shows too is not a difference', () => {
  expect(differ('calls', ['1 create', '5 stop'], [['1 create'], ['2 create', '6 stop']])).toEqual([]);
});

test('the longest matching run determines the difference', () => {
  expect(differ('calls', ['1 create', '5 stop'], [['1 remove'], ['1 create', '5 remove']])).toEqual([
    'after "create": real "stop", thin "remove"',
  ]);
  expect(differ('calls', ['1 create'], [['1 create', '5 remove']])).toEqual([
    'after "create": real nothing, thin "remove"',
  ]);
});

test('behavior after the end of the comparison may differ', () => {
  expect(differ('calls', ['1 create', '71 stop'], [['1 create', '80 remove']])).toEqual([]);
  expect(differ('calls', ['1 create', '69 stop'], [['1 create', '80 remove']])).toHaveLength(1);
});

test('times may exceed those of the runs by a little', () => {
  expect(differ('calls', ['3 create'], [['1 create'], ['2 create']])).toEqual([]);
  expect(differ('calls', ['5 create'], [['1 create'], ['2 create']])).toEqual([
    'create at another time: real 5.0 s, thin 1.0 to 2.0 s',
  ]);
});

test('of a pod with several containers, each row must be known', () => {
  const thin = [['1 0/2 Running 0', '2 1/2 Running 0', '3 1/2 Error 0']];
  expect(differ('rows', ['1 1/2 Running 0', '2 0/2 Running 0'], thin, 2)).toEqual([]);
  expect(differ('rows', ['1 2/2 Running 0'], thin, 2)).toEqual(['no run of thin shows "2/2 Running 0"']);
});
