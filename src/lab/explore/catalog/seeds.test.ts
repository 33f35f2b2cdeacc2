import { expect, test } from 'vitest';
import { scenarioOf } from '../../../../test/support/scenario/simulate.js';
import { scenarioText } from '../../scenario/file/scenario-text.js';
import { perturbed } from '../run/schedule.js';
import { createSearch } from '../search/search.js';
import { checkSelection } from '../selection.js';
import { otherSeeds } from './seeds.js';

const perturbations = (own: number | string) => otherSeeds(own).map(({ perturbation }) => perturbation);

test('the seed of the scenario is not among the other seeds', () => {
  const [first, second] = perturbations(2);
  expect([first?.seed, second?.seed]).toEqual([1, 3]);
  expect(perturbations(2)).toHaveLength(perturbations('mine').length);
});

test('the run has the other seed, and the written scenario as well', async () => {
  const [other] = perturbations(1);
  const scenario = perturbed(await scenarioOf({ pods: [], until: '5s' }), other === undefined ? [] : [other]);
  expect(scenario.seed).toBe(2);
  expect(scenario.until).toBe(5000);
  expect(scenarioText(scenario, { title: 'x', see: 'x', why: 'x', expect: {} }, '.')).toContain('seed: 2');
});

test('no schedule has two seeds', () => {
  const options = { seed: 1, depth: 2, only: [], shard: { index: 0, of: 1 } };
  const search = createSearch(otherSeeds(1), options);
  expect(search.take(1000)).toHaveLength(otherSeeds(1).length);
});

test('--only seed chooses seeds where they are tried, and is an error where not', async () => {
  const scenario = await scenarioOf({ pods: [], until: '5s' });
  await expect(checkSelection([scenario], ['seed'], true)).resolves.toBeUndefined();
  await expect(checkSelection([scenario], ['seed'], false)).rejects.toThrow(/nothing in this scenario/);
});
