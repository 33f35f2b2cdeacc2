import { expect, test } from 'vitest';
import type { Simulation } from '../run/run.js';
import { judgePair } from './matrix.js';

const pair = { kubelet: '1.33', runtime: 'strict', versions: ['1.32', '1.33'] } as const;
const runOf = (own: Partial<Simulation>): Simulation =>
  ({ rows: [], events: [], kubelets: [], containerEvents: [], ...own }) as unknown as Simulation;
const row = (t: number, restarts: number) => ({ t, pod: 'web', ready: '1/1', status: 'Running', restarts });

test('a kubelet that exits more often than its base crashes', () => {
  const exits = [{ t: 3, what: 'exited' as const, text: 'panic' }];
  const crash = judgePair(pair, { run: runOf({ kubelets: exits }), base: runOf({}) });
  expect(crash).toMatchObject({ verdict: 'crash', what: 'the kubelet exits at 3 s: panic' });
  const both = { run: runOf({ kubelets: exits }), base: runOf({ kubelets: exits }) };
  expect(judgePair(pair, both).verdict).toBe('same');
});

test('a missing row is the first difference, even after a row at another time', () => {
  const base = runOf({ rows: [row(1, 0), row(9, 1)] });
  const judged = judgePair(pair, { run: runOf({ rows: [row(4, 0)] }), base });
  expect(judged).toMatchObject({
    verdict: 'differs',
    what: 'no web 1/1 Running with 1 restart (there at 9.0s)',
  });
  expect(judged.changes?.length).toBeGreaterThan(2);
  const late = judgePair(pair, { run: runOf({ rows: [row(4, 0), row(9, 1)] }), base });
  expect(late.what).toBe('only in time: web 1/1 Running with 0 restarts at 4.0s (there at 1.0s)');
  expect(late.changes).toEqual([]);
});
