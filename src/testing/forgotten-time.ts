import type { Clock } from '../base/clock/clock.js';
import type { VirtualClock } from '../base/clock/virtual-clock.js';
import { allMethods } from '../cri/methods.js';
import type { CallLog } from '../runtime/server/call-log.js';

/** Real time, in ms, that a call waits for a virtual clock that does not move. */
const PATIENCE = 2000;
const LOOKS = 4;

const UNARY = new Set(allMethods.filter(({ stream }) => !stream).map(({ name }) => name));

/** Reports calls that wait for virtual time while the clock stands still; otherwise the test would just hang. */
export interface ForgottenTime {
  /** Moves the clock; meanwhile calls may wait. */
  moving<T>(work: Promise<T>): Promise<T>;
  stop(): void;
}

/** Warns once for each such call. `real` has the time of the machine. */
export function watchForgottenTime(
  clock: VirtualClock,
  log: CallLog,
  real: Clock,
  warn: (message: string) => void,
): ForgottenTime {
  let moves = 0;
  let looks = 0;
  let before = '';
  const look = () => {
    const waiting = moves > 0 ? [] : waitingIn(log);
    const state = `${clock.now()} ${log.sequence} ${waiting}`;
    looks = waiting.length > 0 && state === before ? looks + 1 : 0;
    before = state;
    if (looks === LOOKS)
      warn(
        `Mockri: ${waiting.join(', ')} waits for virtual time, and nothing has moved the clock for ${PATIENCE / 1000} s of real time: wrap the call in mockri.runUntil(…), or call mockri.advance(…)`,
      );
    timer = real.setTimer(PATIENCE / LOOKS, look);
  };
  let timer = real.setTimer(PATIENCE / LOOKS, look);
  return {
    moving: (work) => {
      moves++;
      return work.finally(() => moves--);
    },
    stop: () => timer.cancel(),
  };
}

/** Methods with calls that have not ended. */
const waitingIn = (log: CallLog): string[] =>
  [...log.methods].flatMap(({ method, started, codes }) =>
    UNARY.has(method) && started > codes.reduce((sum, count) => sum + count, 0) ? [method] : [],
  );
