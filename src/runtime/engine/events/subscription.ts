import type { Clock } from '../../../base/clock/clock.js';
import type { Account } from '../../../base/input/account.js';
import type { CriError } from '../../../cri/errors.js';

/** Delivered events that stay in the queue before it is compacted, so that taking one does not move the others. */
const DELIVERED = 64;

/** An event that waits for subscribers. The account pays for its bytes until all of them have taken it. */
export class WaitingEvent {
  readonly bytes: Buffer;
  readonly #account: Account;
  #waiting = 0;

  constructor(bytes: Buffer, account: Account) {
    this.bytes = bytes;
    this.#account = account;
  }

  /** Adds a waiting subscriber; false if there is no memory. */
  hold(): boolean {
    if (this.#waiting === 0 && !this.#account.take(this.bytes.length)) return false;
    this.#waiting++;
    return true;
  }

  release(): void {
    if (--this.#waiting === 0) this.#account.take(-this.bytes.length);
  }
}

/** One subscriber and its waiting events. While it waits for the next event, it is idle on the clock. */
export class Subscription {
  readonly #clock: Clock;
  readonly #taken: () => void;
  readonly #queue: (WaitingEvent | undefined)[] = [];
  #head = 0;
  #wake: (() => void) | undefined;
  /** Set when no more events will come: an error, or null for a normal end. */
  #end: CriError | null | undefined;

  /** `taken` is called for each event that the consumer takes. */
  constructor(clock: Clock, taken: () => void) {
    this.#clock = clock;
    this.#taken = taken;
  }

  get length(): number {
    return this.#queue.length - this.#head;
  }

  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** False if there is no memory for it to wait. */
  push(event: WaitingEvent): boolean {
    if (!event.hold()) return false;
    this.#queue.push(event);
    this.#wake?.();
    return true;
  }

  clear(): void {
    for (const event of this.#queue) event?.release();
    this.#queue.length = 0;
    this.#head = 0;
  }

  /** Adds no more events. Waiting ones are still delivered, followed by the error, if any. */
  finish(end: CriError | null): void {
    this.#end = end;
    this.#wake?.();
  }

  async next(): Promise<IteratorResult<Buffer, undefined>> {
    for (;;) {
      const event = this.#take();
      if (event !== undefined) return { done: false, value: event };
      if (this.#end) throw this.#end;
      if (this.#end === null) return { done: true, value: undefined };
      await this.#clock.idle(
        new Promise<void>((resolve) => {
          this.#wake = resolve;
        }),
      );
      this.#wake = undefined;
    }
  }

  #take(): Buffer | undefined {
    if (this.length === 0) return undefined;
    const event = this.#queue[this.#head];
    this.#queue[this.#head++] = undefined;
    event?.release();
    if (this.#head > DELIVERED && this.#head * 2 > this.#queue.length) {
      this.#queue.splice(0, this.#head);
      this.#head = 0;
    }
    this.#taken();
    return event?.bytes;
  }
}
