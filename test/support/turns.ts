import { turn } from '../../src/clock/turn.js';

/** Waits, turn by turn of the event loop, for something that real sockets bring about. */
export async function until(done: () => boolean): Promise<void> {
  while (!done()) await turn();
}

/** Waits until a number has stood still for many turns of the event loop. */
export async function untilStill(read: () => number, turns = 200): Promise<void> {
  for (let last = Number.NaN, quiet = 0; quiet < turns; quiet = last === read() ? quiet + 1 : 0) {
    last = read();
    await turn();
  }
}
