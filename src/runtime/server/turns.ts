import type { Clock } from '../../base/clock/clock.js';
import { turn } from '../../base/clock/turn.js';

/** Time in ms for calls in one turn of the event loop. */
const SLICE = 5;

/**
 * Gives each connection its share of the event loop. A client can send hundreds of calls at once; if all of them began in
 * one turn, everybody else would wait for them. So calls beyond a slice of time wait, and connections take turns.
 */
export class Turns {
  readonly #clock: Clock;
  /** Calls that wait, of each connection in order; the connection that is next comes first. */
  readonly #waiting = new Map<number, (() => void)[]>();
  #sliceBegan: number | undefined;
  #isBusy = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins a call of a connection: now, or when it is its turn. */
  begin(connection: number, call: () => void): void {
    if (this.#isBusy || this.#waiting.size > 0 || this.#isUsedUp) {
      const calls = this.#waiting.get(connection);
      if (calls === undefined) this.#waiting.set(connection, [call]);
      else calls.push(call);
    } else this.#do(call);
  }

  get #isUsedUp(): boolean {
    return this.#sliceBegan !== undefined && this.#clock.elapsed() - this.#sliceBegan >= SLICE;
  }

  #do(call: () => void): void {
    if (this.#sliceBegan === undefined) {
      this.#sliceBegan = this.#clock.elapsed();
      void turn().then(this.#nextTurn);
    }
    this.#isBusy = true;
    // Most of a call is done in microtasks, and the slice has to count them.
    queueMicrotask(() => process.nextTick(this.#continue));
    call();
  }

  readonly #continue = (): void => {
    this.#isBusy = false;
    if (!this.#isUsedUp) this.#doNext();
  };

  readonly #nextTurn = (): void => {
    this.#sliceBegan = undefined;
    this.#doNext();
  };

  #doNext(): void {
    for (const [connection, calls] of this.#waiting) {
      const call = calls.shift() as () => void;
      this.#waiting.delete(connection);
      if (calls.length > 0) this.#waiting.set(connection, calls);
      this.#do(call);
      return;
    }
  }
}
