import { afterEach, expect, it, vi } from 'vitest';
import { createRealClock } from '../../../base/clock/real-clock.js';
import { exitLater } from './exit-later.js';

afterEach(() => {
  vi.useRealTimers();
});

it('ends the process after 5 s, but a tape first', async () => {
  vi.useFakeTimers();
  const exit = vi.fn();
  let written = () => {};
  const finish = () =>
    new Promise<void>((resolve) => {
      written = resolve;
    });
  exitLater(createRealClock(), finish, exit as never);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(exit).not.toHaveBeenCalled();
  written();
  await vi.advanceTimersByTimeAsync(0);
  expect(exit).toHaveBeenCalledOnce();
});

it('does not wait for a disk forever', async () => {
  vi.useFakeTimers();
  const exit = vi.fn();
  exitLater(createRealClock(), () => new Promise(() => {}), exit as never);
  await vi.advanceTimersByTimeAsync(34_000);
  expect(exit).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1000);
  expect(exit).toHaveBeenCalledOnce();
});
