import { expect, test } from 'vitest';
import { sampleOf } from '../../../test/support/thorough.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { loadSubject } from '../explore/subject/subject.js';
import { readLines } from './read/read-lines.js';
import { reproduce } from './reproduce.js';

test('makes a run and shows its cause, but no more, when reading took all the time', async () => {
  const { causes, runs, isCut } = await reproduce({
    scenario: await loadSubject(['test/explore/replay/shapes/one-container.yaml']),
    saw: [readLines('web 0/1 ContainerCreating 0 1s\nweb 0/1 Error 0 90s', 'rows')],
    budget: { time: 1000 },
    begun: -2000,
    seed: '1',
    depth: 2,
    workers: 0,
    clock: createVirtualClock(),
  });
  expect({ runs, isCut, causes: causes.length }).toEqual({ runs: 1, isCut: true, causes: 1 });
});

test.each(sampleOf([1, 5], 1))('makes no more runs than a budget of %i', async (schedules) => {
  const { runs, isCut } = await reproduce({
    scenario: await loadSubject(['test/explore/replay/shapes/one-container.yaml']),
    saw: [readLines('web 0/1 ContainerCreating 0 1s\nweb 0/1 Error 3 90s', 'rows')],
    budget: { schedules },
    seed: '1',
    depth: 2,
    workers: 0,
    clock: createVirtualClock(),
  });
  expect({ runs, isCut }).toEqual({ runs: schedules, isCut: true });
});
