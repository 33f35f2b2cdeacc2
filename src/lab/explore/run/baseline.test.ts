import { expect, test } from 'vitest';
import type { Simulation } from '../../scenario/run/run.js';
import { baselineOf, differencesFrom } from './baseline.js';

/** A run in which the kubelet lists all pods each second from `first` on. */
function listing(first: number, end: number): Simulation {
  const calls = Array.from({ length: end - first }, (_, index) => ({
    t: first + index,
    rpc: 'ListPodSandbox',
  }));
  return { rows: [], pods: [], steps: [], calls } as unknown as Simulation;
}

test('the pace of a scenario that is over in seconds is that of the time after its start', () => {
  const baseline = baselineOf(listing(2, 320), 10);
  expect(differencesFrom(baseline, listing(2, 110), [], 110)).toEqual([]);
});

test('a kubelet that lists more than twice as often is found', () => {
  const baseline = baselineOf(listing(2, 320), 10);
  const run = listing(2, 110);
  const often = { ...run, calls: [...run.calls, ...run.calls, ...run.calls] };
  expect(differencesFrom(baseline, often, [], 110).map(({ name }) => name)).toEqual(['same-pace']);
});
