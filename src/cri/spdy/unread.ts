import { Account } from '../../base/input/account.js';

/** Received bytes that may wait for the readers of all streams of a connection before it stops reading. */
const MOST_UNREAD = 1024 * 1024;

/** Counts the unread bytes of one connection's streams. */
export class Unread {
  readonly #account: Account;
  readonly #full: () => void;
  #bytes = 0;
  #waiting: (() => void)[] = [];

  /** Calls `full` when the account has no memory for received bytes. */
  constructor(account = new Account(), full = () => {}) {
    this.#account = new Account(undefined, account);
    this.#full = full;
  }

  /** Adds received bytes; a negative number for bytes that were read or dropped. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (!this.#account.take(bytes)) this.#full();
    if (this.#bytes > MOST_UNREAD) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  close(): void {
    this.#account.close();
  }

  /** A promise if too much is unread: it resolves when readers have read enough. */
  room(): Promise<void> | undefined {
    if (this.#bytes <= MOST_UNREAD) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
