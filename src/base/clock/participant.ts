import type { Release } from './release.js';

/** A program in another process that takes part in a virtual clock. It runs only inside `proceed`. */
export interface Participant {
  /** When it wants to run next, in Unix nanoseconds; undefined while it only waits for others. */
  readonly next: bigint | undefined;
  /**
   * Runs it at this instant until it waits again, if it has something to do: its time has come, or more was sent to
   * programs since its last look. Returns whether it ran.
   */
  proceed(turn: Turn): boolean | Promise<boolean>;
  /** Whether more was sent to programs than it has looked for; `sent` is `Turn.sent()`. */
  isBehind?(sent: number): boolean;
}

export interface Turn {
  readonly now: bigint;
  /**
   * Nobody else acts until then: it may move its clock up to this time while it does nothing visible to others. Never
   * before `now`, which means that it may not.
   */
  readonly until: bigint;
  /** Counts what was sent to programs, and the programs' actions that others may have received. */
  sent(): number;
  /** Records that it did something, so that other programs check what they received. */
  acted(): void;
  reach(time: bigint): void;
}

export class Participants {
  readonly #all = new Set<Participant>();
  #acts = 0;

  get acts(): number {
    return this.#acts;
  }

  readonly acted = (): void => {
    this.#acts++;
  };

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  join(participant: Participant): Release {
    this.#all.add(participant);
    return () => {
      if (this.#all.delete(participant)) this.acted();
    };
  }

  /** Runs each program at the clock's instant; returns false if none had anything to do. */
  async proceed(turn: (until: bigint) => Turn, until: bigint): Promise<boolean> {
    let ran = false;
    for (const each of this.#all) {
      const others = this.next(until, each);
      const last = others === undefined ? until : others - 1n;
      const given = turn(last);
      const isStill = last < given.now || this.#isAwaited(each, given);
      if (await each.proceed(isStill ? { ...given, until: given.now } : given)) ran = true;
    }
    return ran;
  }

  /** Whether another one still has to read at this instant: its reply comes before any later time. */
  #isAwaited(except: Participant, { sent }: Turn): boolean {
    const count = sent();
    return [...this.#all].some((each) => each !== except && each.isBehind?.(count));
  }

  /** When the next one except `except` wants to run; undefined if none does by `target`. */
  next(target: bigint, except?: Participant): bigint | undefined {
    let first: bigint | undefined;
    for (const each of this.#all) {
      const { next } = each;
      if (each === except || next === undefined || next > target) continue;
      if (first === undefined || next < first) first = next;
    }
    return first;
  }
}
