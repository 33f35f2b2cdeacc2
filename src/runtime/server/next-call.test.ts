import { expect, it } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { CallLog } from './call-log.js';
import { nextCalls } from './next-call.js';

const clock = createVirtualClock();

function finish(log: CallLog, method: string): void {
  const call = { peer: 'unix#1', connection: 1, subject: undefined, details: '', messages: 1, faults: [] };
  log.finish(log.stats(method), { ...call, code: 0, startedAt: 0n }, 0);
}

const methods = async (calls: ReturnType<typeof nextCalls>) => (await calls).map(({ sequence }) => sequence);

it('answers with the calls that are there', async () => {
  const log = new CallLog(clock);
  finish(log, 'Version');
  expect(await methods(nextCalls(log, { method: 'Version' }, { clock, limit: 1000 }))).toEqual([1]);
  expect(await methods(nextCalls(log, { method: 'Status' }, { clock, limit: 0 }))).toEqual([]);
});

it('waits for the first call that fits, and not longer', async () => {
  const log = new CallLog(clock);
  const waiting = methods(nextCalls(log, { method: 'Status', since: 1 }, { clock, limit: 1000 }));
  for (const method of ['Status', 'Version', 'Status', 'Status']) finish(log, method);
  expect(await waiting).toEqual([3]);
});

it('answers nothing when the time is over or the client has gone', async () => {
  const log = new CallLog(clock);
  const late = methods(nextCalls(log, {}, { clock, limit: 1000 }));
  await clock.advance(1000);
  expect(await late).toEqual([]);
  const client = new AbortController();
  const gone = methods(nextCalls(log, {}, { clock, limit: 1000, signal: client.signal }));
  client.abort();
  expect(await gone).toEqual([]);
  expect(await methods(nextCalls(log, {}, { clock, limit: 1000, signal: client.signal }))).toEqual([]);
});
