import { expect, test } from 'vitest';
import { aPerturbation } from '../../../../test/support/perturbation.js';
import { shorter } from './shorter.js';

const base = aPerturbation({ at: 1000, until: 41_000 });

test('each time of a rule is halved, and the end comes earlier by that much', () => {
  const rule = { when: { during: { from: '1s', for: '40s' } }, then: { delay: '25s' } };
  const made = shorter({ ...base, rules: [rule] });
  expect(made.map(({ rules, until }) => [rules[0]?.when?.during?.for, rules[0]?.then.delay, until])).toEqual([
    ['20s', '25s', 21_000],
    ['40s', '13s', 29_000],
  ]);
});

test('times below a second stay', () => {
  expect(shorter({ ...base, rules: [{ then: { restart: { downFor: '400ms' } } }] })).toEqual([]);
});

test('a kubelet that is down is down for half as long', () => {
  const [made] = shorter({
    ...base,
    text: 'kubelet down for 20s, at 20s',
    steps: [
      { at: 1000, kubelet: 'kill' },
      { at: 21_000, kubelet: 'start' },
    ],
  });
  expect(made?.steps.map(({ at }) => at)).toEqual([1000, 11_000]);
  expect(made?.until).toBe(11_000);
  expect(made?.text).toBe('kubelet down for 10s, at 20s');
});

test.each([
  [
    'the first PullImage of web (at 1.283s) takes 3s to return',
    'the first PullImage of web (at 1.283s) takes 1.5s to return',
  ],
  [
    'the first PullImage of web (at 3s) takes 3s to return',
    'the first PullImage of web (at 3s) takes 1.5s to return',
  ],
  ['each PullImage of web from 3s, for 40s, takes 3s', 'each PullImage of web from 3s, for 40s, takes 1.5s'],
])('%s: the time of the point stays in the text', (text, expected) => {
  const [made] = shorter({ ...base, text, rules: [{ then: { delay: '3s' } }] });
  expect(made?.text).toBe(expected);
});
