import type { Abortable, Clock } from './clock.js';
import { turn } from './turn.js';

/** Time in ms for all sharers together in one turn of the event loop. */
const SLICE = 2;

interface Waiter {
  /** Undefined if the waiter is gone. */
  resume: (() => void) | undefined;
}

/**
 * Shares the event loop between long-running work, such as the simulated processes of a node, and the rest of the
 * server. The work gets one slice per turn of the loop; a sharer that needs more waits in line, and each turn one of
 * those continues. So sockets and timers are served between any two slices, for any number of busy sharers.
 *
 * A virtual clock has no other work to serve, and its order of events must not depend on the machine's speed: it grants
 * every request.
 */
export class Cpu {
  readonly #clock: Clock;
  #sliceBegan: number | undefined;
  #waiting: Waiter[] = [];
  /** Waiters that have continued: cheaper than shifting a long array. */
  #served = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Returns undefined if the caller may continue at once, and otherwise a promise for its turn. When `gone` aborts, the
   * caller waits no longer: the processes of a fork bomb would otherwise stay in memory until their turns came.
   */
  request(gone?: Abortable): Promise<void> | undefined {
    if (this.#clock.kind === 'virtual') return undefined;
    const now = this.#clock.elapsed();
    if (this.#sliceBegan === undefined) {
      this.#begin(now);
      return undefined;
    }
    if (this.#served === this.#waiting.length && now - this.#sliceBegan < SLICE) return undefined;
    return new Promise((resolve) => {
      const leave = () => {
        waiter.resume = undefined;
        resolve();
      };
      const resume = () => {
        gone?.removeEventListener('abort', leave);
        resolve();
      };
      const waiter: Waiter = { resume };
      gone?.addEventListener('abort', leave);
      this.#waiting.push(waiter);
    });
  }

  #begin(now: number): void {
    this.#sliceBegan = now;
    void turn().then(() => this.#next());
  }

  #next(): void {
    this.#sliceBegan = undefined;
    let resume: Waiter['resume'];
    while (resume === undefined && this.#served < this.#waiting.length)
      ({ resume } = this.#waiting[this.#served++] as Waiter);
    if (this.#served === this.#waiting.length || this.#served > 1024) {
      this.#waiting = this.#waiting.slice(this.#served);
      this.#served = 0;
    }
    if (resume === undefined) return;
    this.#begin(this.#clock.elapsed());
    resume();
  }
}
