import type { Release } from './release.js';

/** A program of another process that takes part in a virtual clock. It runs only inside `proceed`. */
export interface Participant {
  /** When it wants to run next, in Unix nanoseconds; undefined while it waits for others alone. */
  readonly next: bigint | undefined;
  /**
   * Lets it run at this instant until it waits again, if there is anything to run for: its time has come, or `sent`, which
   * counts what was sent to programs, has grown since it last looked. Returns whether it ran.
   */
  proceed(now: bigint, sent: () => number): boolean | Promise<boolean>;
}

/** The programs that take part in one clock. */
export class Participants {
  readonly #all = new Set<Participant>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  join(participant: Participant): Release {
    this.#all.add(participant);
    return () => void this.#all.delete(participant);
  }

  /** Lets each run at this instant; false when none had anything to do. */
  async proceed(now: bigint, sent: () => number): Promise<boolean> {
    let ran = false;
    for (const each of this.#all) if (await each.proceed(now, sent)) ran = true;
    return ran;
  }

  /** When the next one wants to run; undefined if none does by `target`. */
  next(target: bigint): bigint | undefined {
    let first: bigint | undefined;
    for (const { next } of this.#all)
      if (next !== undefined && next <= target && (first === undefined || next < first)) first = next;
    return first;
  }
}
