import { turn } from '../../src/base/clock/turn.js';

/** Waits, one turn of the event loop at a time, for an effect of real sockets. */
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await turn();
}

/** Waits until a number has not changed for many turns of the event loop. */
export async function untilStill(read: () => number, turns = 200): Promise<void> {
  for (let last = Number.NaN, quiet = 0; quiet < turns; quiet = last === read() ? quiet + 1 : 0) {
    last = read();
    await turn();
  }
}
