import { expect, test } from 'vitest';
import type { Perturbation } from '../../../src/lab/explore/catalog/perturbation.js';
import type { Simulation } from '../../../src/lab/scenario/run/run.js';
import { doingsOfSchedule, doTheSame, showTheSame } from './same-cause.js';

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

const restarting = (when: Partial<Perturbation['rules'][number]>) =>
  doingsOfSchedule([
    {
      ...{ id: '', kind: '', family: '', text: '', pod: '', at: 0, until: 0, steps: [] },
      rules: [{ ...when, then: { restart: { downFor: '1s', state: 'lose' } } }],
    },
  ]);

test('a restart of the runtime is the same at any time, whether a call or the clock says when', () => {
  const atTime = restarting({ on: 'time', when: { during: { from: '351ms' } } });
  expect(doTheSame(atTime, restarting({ match: { method: 'PullImage' }, when: { times: 1 } }))).toBe(true);
});
