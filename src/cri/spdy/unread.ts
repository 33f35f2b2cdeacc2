import { Account } from '../../base/input/account.js';

/** Received bytes that may wait for the readers of all streams of a connection before it stops reading. */
const MOST_UNREAD = 1024 * 1024;

/** Counts what the streams of one connection hold for their readers. */
export class Unread {
  readonly #account: Account;
  readonly #full: () => void;
  #bytes = 0;
  #waiting: (() => void)[] = [];

  /** `full` is called when the account has no memory for what came. */
  constructor(account = new Account(), full = () => {}) {
    this.#account = new Account(undefined, account);
    this.#full = full;
  }

  /** Bytes that came, or a negative number of bytes that are read or dropped. */
  add(bytes: number): void {
    this.#bytes += bytes;
    if (!this.#account.take(bytes)) this.#full();
    if (this.#bytes > MOST_UNREAD) return;
    for (const resume of this.#waiting.splice(0)) resume();
  }

  /** The connection is over. */
  close(): void {
    this.#account.close();
  }

  /** A promise if there is too much: it resolves when enough was read. */
  room(): Promise<void> | undefined {
    if (this.#bytes <= MOST_UNREAD) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
