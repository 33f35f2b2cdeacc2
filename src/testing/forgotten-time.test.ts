import { expect, test } from 'vitest';
import { createVirtualClock } from '../base/clock/virtual-clock.js';
import { CallLog } from '../runtime/server/call-log.js';
import { watchForgottenTime } from './forgotten-time.js';

function watched() {
  const [clock, real] = [createVirtualClock(), createVirtualClock()];
  const log = new CallLog(clock);
  const said: string[] = [];
  const watch = watchForgottenTime(clock, log, real, (message) => said.push(message));
  return { clock, real, log, said, watch };
}

test('a call that waits for a standing clock is named after two seconds, once', async () => {
  const { real, log, said, watch } = watched();
  await real.advance(60_000);
  log.stats('StartContainer').started++;
  log.stats('GetContainerEvents').started++;
  await real.advance(1900);
  expect(said).toEqual([]);
  await real.advance(60_000);
  expect(said).toEqual([
    'Mockri: StartContainer waits for virtual time, and nothing has moved the clock for 2 s of real time: wrap the call in mockri.runUntil(…), or call mockri.advance(…)',
  ]);
  watch.stop();
});

test('nothing is said while the test moves the clock', async () => {
  const { real, log, said, watch } = watched();
  log.stats('StartContainer').started++;
  await watch.moving(real.advance(60_000));
  expect(said).toEqual([]);
  watch.stop();
});
