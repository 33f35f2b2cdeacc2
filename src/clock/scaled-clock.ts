import type { Clock } from './clock.js';

/**
 * A clock that runs `factor` times as fast as `base` (a real clock): an hour of back-off passes in a minute at 60.
 * It begins at the base's present time. Meant for delays of our own; a program outside does not see it.
 */
export function createScaledClock(base: Clock, factor: number): Clock {
  if (!(factor > 0)) throw new RangeError(`A clock's factor must be a number above 0, not ${factor}.`);
  const origin = base.now();
  const begun = base.elapsed();
  const elapsed = () => (base.elapsed() - begun) * factor;
  return {
    kind: 'scaled',
    now: () => origin + BigInt(Math.round(elapsed() * 1e6)),
    elapsed,
    setTimer: (delay, callback) => base.setTimer(delay / factor, callback),
    sleep: (delay, signal) => base.sleep(delay / factor, signal),
    run: (task) => base.run(task),
    hold: () => base.hold(),
    idle: (wait) => base.idle(wait),
  };
}
