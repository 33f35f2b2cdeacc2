import { expect, test } from 'vitest';
import { createVirtualClock } from '../base/clock/virtual-clock.js';
import { createReconciler, type StepResult } from './reconciler.js';

/** A reconciler whose steps take a second and have these results; `steps` grows with each, `ended` with each end. */
function reconcilerOf(...results: StepResult[]) {
  const clock = createVirtualClock();
  const steps: string[] = [];
  const ended: string[] = [];
  const reconciler = createReconciler<string>(
    clock,
    async (thing) => {
      steps.push(thing);
      await clock.sleep(1000);
      return results.shift() ?? 'done';
    },
    (thing) => ended.push(thing),
  );
  return { clock, steps, ended, reconciler };
}

test('changes during a step are one more step', async () => {
  const { clock, steps, ended, reconciler } = reconcilerOf();
  reconciler.changed('a');
  await clock.advance(500);
  reconciler.changed('a');
  reconciler.changed('a');
  expect(reconciler.isBusy('a')).toBe(true);
  await clock.advance(5000);
  expect(steps).toEqual(['a', 'a']);
  expect(ended).toEqual(['a']);
  expect(reconciler.isBusy('a')).toBe(false);
});

test('a step that has more to do is followed by another one', async () => {
  const { clock, steps, reconciler } = reconcilerOf('again', 'again');
  reconciler.changed('a');
  await clock.advance(5000);
  expect(steps).toEqual(['a', 'a', 'a']);
});

test('a step that fails after a change is made again, as any other', async () => {
  const { clock, steps, reconciler } = reconcilerOf('done', 'again');
  reconciler.changed('a');
  await clock.advance(500);
  reconciler.changed('a');
  await clock.advance(5000);
  expect(steps).toEqual(['a', 'a', 'a']);
});

test('nothing follows a step after which nothing has to be done', async () => {
  const { clock, steps, reconciler } = reconcilerOf('over');
  reconciler.changed('a');
  await clock.advance(500);
  reconciler.changed('a');
  await clock.advance(5000);
  expect(steps).toEqual(['a']);
});

test('the steps of several things are independent', async () => {
  const { clock, steps, ended, reconciler } = reconcilerOf();
  reconciler.changed('a');
  reconciler.changed('b');
  await clock.advance(1000);
  expect(steps).toEqual(['a', 'b']);
  expect(ended).toEqual(['a', 'b']);
});
