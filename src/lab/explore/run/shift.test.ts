import { expect, test } from 'vitest';
import { aPerturbation } from '../../../../test/support/perturbation.js';
import { shifted } from './shift.js';

const base = aPerturbation({ at: 1281, until: 41_281 });

test('times of rules and steps come earlier, but not before the start', () => {
  const rules = [
    { when: { during: { from: '1.281s', for: '40s' } }, then: { delay: '3s' } },
    { when: { during: { from: '200ms' } }, then: { delay: '3s' } },
    { when: { times: 1 }, then: { delay: '3s' } },
  ];
  const steps = [
    { at: 1000, kubelet: 'kill' as const },
    { at: 100, kubelet: 'start' as const },
  ];
  const [made] = shifted([{ ...base, rules, steps }], -282.7);
  expect(made?.rules.map(({ when }) => when)).toEqual([
    { during: { from: '998ms', for: '40s' } },
    { during: { from: '0s' } },
    { times: 1 },
  ]);
  expect(made?.steps.map(({ at }) => at)).toEqual([717, 0]);
});
