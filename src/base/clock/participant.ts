import type { Release } from './release.js';

/** A program of another process that takes part in a virtual clock. It runs only inside `proceed`. */
export interface Participant {
  /** When it wants to run next, in Unix nanoseconds; undefined while it waits for others alone. */
  readonly next: bigint | undefined;
  /**
   * Lets it run at this instant until it waits again, if there is anything to run for: its time has come, or what was sent
   * to programs has grown since it last looked. Returns whether it ran.
   */
  proceed(turn: Turn): boolean | Promise<boolean>;
}

/** What a program that takes part is given when it may run. */
export interface Turn {
  readonly now: bigint;
  /** Until then nobody else does anything: it may move its clock so far by itself while it does nothing that others could see. */
  readonly until: bigint;
  /** Counts what was sent to programs, and what programs have done that others may have got. */
  sent(): number;
  /** It has done something: other programs look for what that has sent them. */
  acted(): void;
  /** It has moved its clock to this time. */
  reach(time: bigint): void;
}

/** The programs that take part in one clock. */
export class Participants {
  readonly #all = new Set<Participant>();
  #acts = 0;

  /** How often programs have done something. */
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

  /** Lets each run at the instant of the clock, of which it gets a turn; false when none had anything to do. */
  async proceed(turn: (until: bigint) => Turn, until: bigint): Promise<boolean> {
    let ran = false;
    for (const each of this.#all) {
      const others = this.next(until, each);
      if (await each.proceed(turn(others === undefined ? until : others - 1n))) ran = true;
    }
    return ran;
  }

  /** When the next one but `except` wants to run; undefined if none does by `target`. */
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
