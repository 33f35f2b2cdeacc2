import { expect, test } from 'vitest';
import type { Reproduction } from '../reproduce.js';
import { reportText } from './text.js';

test.each([
  [true, true, '500 runs; the budget is used up (--budget)'],
  [true, false, '500 runs, interrupted'],
  [false, true, '500 runs; every candidate was tried'],
])('cut %s, finished %s: %s', (isCut, finished, last) => {
  const seen = { shift: 0, events: [] };
  const found = { causes: [], apart: [], others: [], runs: 500, isCut, seen } as unknown as Reproduction;
  expect(reportText(found, [], { scenarios: [] }, finished).trimEnd().split('\n').at(-1)).toBe(last);
});

test.each([
  [true, 'No match in 18 runs. A larger --budget may find one. Closest:'],
  [false, 'No match in 18 runs. Closest:'],
])('a search without a match says how much it tried; cut %s', (isCut, headline) => {
  const cause = {
    ...{
      cause: 'x',
      key: '',
      also: [],
      fit: 0.5,
      verdict: 'comes nearest',
      version: '1.36',
      versions: ['1.36', '1.37'],
    },
    ...{
      runtime: 'strict',
      runtimes: ['strict', 'containerd-2.4'],
      unexplained: ['rows'],
      guesses: [],
      explanation: [],
    },
  };
  const seen = { shift: 0, events: [] };
  const found = { causes: [cause], apart: [], others: [], runs: 18, isCut, seen } as unknown as Reproduction;
  const text = reportText(found, [], { scenarios: [] }, true);
  expect(text).toContain(headline);
  expect(text).toContain('match 0.50; kubelet 1.36 (also 1.37); runtime strict (also containerd-2.4)');
  expect(text).toContain('no match for: rows');
});

test('lines fit 80 columns with real names, and a command stays on its line', () => {
  const pod = 'prod/payments-5d4f8c7b9d-x2lmn';
  const cause = {
    ...{
      cause: `the first StartContainer of ${pod}/app (at 767ms) takes 125s to return`,
      key: 'x',
      also: [],
      fit: 1,
    },
    ...{ verdict: 'fits', version: '1.36', versions: ['1.36'], runtime: 'strict', runtimes: ['strict'] },
    unexplained: [`${pod} exited with 1 at 17m25s (simulated: 16m36s)`],
    guesses: [`container ${pod}/app runs until stopped, because its image is unknown`],
    explanation: [
      `      0.8s  container ${pod}/app starts again 2 m after its end, which is after its back-off of 10 s`,
    ],
  };
  const apart = [
    { between: [1, 2], command: `kubectl get pod ${pod}`, shows: ['0/1 CrashLoopBackOff', '1/1 Running'] },
  ];
  const found = {
    causes: [cause],
    apart,
    others: [],
    runs: 18,
    isCut: false,
    seen: { shift: 0, events: [] },
  };
  const scenarios = [`causes/${'long-name-'.repeat(9)}.yaml`];
  const text = reportText(found as unknown as Reproduction, [], { scenarios }, true);
  const long = text.split('\n').filter((line) => line.length > 80);
  expect(long).toEqual([`   npx mockri simulate ${scenarios[0]} --explain`]);
  expect(text).toContain('\n     (simulated: 16m36s)\n');
  expect(text).toMatch(/\n {9}0\.8s {2}container .*\n {15}\S/);
});
