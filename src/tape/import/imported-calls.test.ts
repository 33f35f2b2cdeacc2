import { expect, test } from 'vitest';
import { createImportedCalls } from './imported-calls.js';

const status = { time: 0n, method: 'Status', key: '', message: {} };
const ok = { ...status, code: 'OK' as const };

test('the oldest call that is open is answered first', () => {
  const calls = createImportedCalls();
  const begun = () => calls.begun(status, 100);
  const ended = () => calls.ended(ok);
  const happened = [begun(), begun(), ended(), begun(), ended(), ended(), begun(), ended(), ended()];
  expect(happened.map((each) => each && 'call' in each && each.call)).toEqual([
    1,
    2,
    1,
    3,
    2,
    3,
    4,
    4,
    undefined,
  ]);
  expect(calls.counts).toEqual({ calls: 4, orphans: 1 });
});

test('as many calls are open as a tape may have, and an answer lets another one in', () => {
  const calls = createImportedCalls();
  for (let count = 0; count < 100_000; count++) calls.begun(status, 100);
  for (let count = 0; count < 50_000; count++) calls.ended(ok);
  for (let count = 0; count < 50_000; count++) calls.begun(status, 100);
  expect(() => calls.begun(status, 100)).toThrow('100001 calls are open here');
});

test('their lines are as long together as those of a tape may be', () => {
  const calls = createImportedCalls();
  const line = 128 * 1024 * 1024;
  calls.begun(status, line);
  calls.begun(status, line);
  calls.ended(ok);
  calls.begun(status, line);
  expect(() => calls.begun(status, 1)).toThrow('3 calls are open here');
});
