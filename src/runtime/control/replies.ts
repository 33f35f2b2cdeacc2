import type { ServerResponse } from 'node:http';
import type { Account } from '../../base/input/account.js';
import { Problem } from './problem.js';

export class Replies {
  readonly #account: Account;
  #held = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  /** Throws Problem 503 while other replies leave no memory for it. A reply may have any size if it is the only one. */
  add(response: ServerResponse, bytes: number): void {
    const isTaken = this.#account.take(bytes);
    if (!isTaken && this.#held > 0)
      throw new Problem(503, 'replies that clients have not read take all memory for replies; try again');
    this.#held += bytes;
    response.once('close', () => {
      this.#held -= bytes;
      if (isTaken) this.#account.take(-bytes);
    });
  }
}
