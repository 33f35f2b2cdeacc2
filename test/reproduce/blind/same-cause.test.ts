import { expect, test } from 'vitest';
import type { Simulation } from '../../../src/lab/scenario/run/run.js';
import { showTheSame } from './same-cause.js';

const run = (...rows: readonly [t: number, pod: string, status: string][]) =>
  ({
    ...{ nodes: [], events: [] },
    rows: rows.map(([t, pod, status]) => ({ t, pod, status, ready: '0/1', restarts: 0 })),
  }) as unknown as Simulation;

test('a row that another one replaces immediately is never seen', () => {
  const direct = run([1, 'web', 'Running'], [10, 'web', 'Error']);
  expect(
    showTheSame(direct, run([1, 'web', 'Running'], [10, 'web', 'Terminating'], [10, 'web', 'Error'])),
  ).toBe(true);
  expect(
    showTheSame(direct, run([1, 'web', 'Running'], [9, 'web', 'Terminating'], [10, 'web', 'Error'])),
  ).toBe(false);
  const two = run([1, 'web', 'Running'], [10, 'other', 'Running'], [10, 'web', 'Error']);
  expect(showTheSame(direct, two)).toBe(false);
});
