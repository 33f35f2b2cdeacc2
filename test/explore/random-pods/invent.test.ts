import { expect, test } from 'vitest';
import { parseScenario } from '../../../src/lab/scenario/file/load.js';
import { inventPod } from '../../support/random-pods/invent.js';
import { containersOf, type PodCase } from '../../support/random-pods/pod-case.js';
import { scenarioOf } from '../../support/random-pods/run.js';
import { simplerPods } from '../../support/random-pods/simpler.js';
import { isThorough, ofAll, sampleOf } from '../../support/thorough.js';

const slow = test.runIf(isThorough);

const pods = (minor: number) =>
  Array.from({ length: 100 }, (_, index) => inventPod(`${minor}/${index}`, `p-${index}`, minor));

const minors = [28, 30, 34, 37];
const some = sampleOf(minors, 1);

test.each(some)(
  `pods for 1.%i are valid (${ofAll(some.length, minors.length, 'versions')})`,
  async (minor) => {
    const { text } = scenarioOf(pods(minor), { version: `1.${minor}`, seed: 1, seconds: 150 });
    const { timeline } = await parseScenario(text, 'random-pods');
    expect(timeline.length).toBeGreaterThan(100);
  },
);

test('the same seed gives the same pod', () =>
  expect(inventPod('a', 'p', 37)).toEqual(inventPod('a', 'p', 37)));

slow('all steps lead to pods that are simpler, until there is none', async () => {
  const all: PodCase[] = [];
  for (const pod of pods(37).slice(0, 20)) {
    let smallest = pod;
    for (let steps = simplerPods(pod); steps.length > 0; steps = simplerPods(smallest)) {
      all.push(...steps);
      smallest = steps[0] as PodCase;
    }
    expect(containersOf(smallest)).toHaveLength(1);
    expect(smallest.faults).toEqual([]);
  }
  const named = all.slice(0, 400).map((pod, index) => ({ ...pod, name: `p-${index}` }));
  const { text } = scenarioOf(named, { version: '1.37', seed: 1, seconds: 150 });
  await parseScenario(text, 'random-pods');
});
