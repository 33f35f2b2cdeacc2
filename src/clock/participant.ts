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
