import { expect, test } from 'vitest';
import { createClosableClock } from './closable-clock.js';
import { createVirtualClock } from './virtual-clock.js';

test('timers fire until the clock is closed; none does afterwards', async () => {
  const inner = createVirtualClock();
  const clock = createClosableClock(inner);
  const seen: string[] = [];
  clock.setTimer(10, () => void seen.push('timer'));
  void clock.run(async () => {
    await clock.sleep(20);
    seen.push('slept');
    await clock.sleep(20);
    seen.push('slept again');
  });
  clock.setTimer(15, () => void seen.push('cancelled')).cancel();
  await inner.advance(25);
  clock.close();
  clock.setTimer(1, () => void seen.push('late'));
  await inner.advance(100);
  expect(seen).toEqual(['timer', 'slept']);
});

test('a sleep ends with its signal', async () => {
  const clock = createClosableClock(createVirtualClock());
  const stop = new AbortController();
  const sleeping = clock.sleep(1000, stop.signal);
  stop.abort(new Error('enough'));
  await expect(sleeping).rejects.toThrow('enough');
  await expect(clock.sleep(1, stop.signal)).rejects.toThrow('enough');
});
