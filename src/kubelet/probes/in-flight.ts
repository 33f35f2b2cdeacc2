import type { Clock } from '../../clock/clock.js';
import { turn } from '../../clock/turn.js';

/** Event loop turns without an answer after which the other side is taken to be waiting for time to pass. */
const QUIET_TURNS = 100;

/** Settles like an exchange over a socket, or with `undefined` when `timeout` ms (or Infinity) have passed on the clock. */
export async function exchange<T>(
  clock: Clock,
  timeout: number,
  start: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const controller = new AbortController();
  let expire = () => {};
  const expired = new Promise<undefined>((resolve) => {
    expire = () => resolve(undefined);
  });
  const timer = Number.isFinite(timeout) ? clock.setTimer(timeout, expire) : undefined;
  const answer = start(controller.signal);
  void carry(clock, answer);
  try {
    return await clock.idle(Promise.race([answer, expired]));
  } finally {
    timer?.cancel();
    controller.abort();
    answer.catch(() => {});
  }
}

/**
 * Keeps a virtual clock from running on while bytes are in a socket, where they belong to nobody. A server in this
 * process answers within a few turns of the event loop, unless it sleeps on the clock: then the clock has to move.
 */
async function carry(clock: Clock, answer: Promise<unknown>): Promise<void> {
  if (clock.kind !== 'virtual') return;
  const release = clock.hold();
  let open = true;
  const done = () => {
    open = false;
  };
  answer.then(done, done);
  for (let turns = 0; open && turns < QUIET_TURNS; turns++) await turn();
  release();
}
