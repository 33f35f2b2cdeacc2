import type { ServerResponse } from 'node:http';
import { Problem } from './problem.js';

/** Bytes of the replies that clients have not taken yet. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Counts the replies that are on their way, which together hold no more memory than MOST_BYTES. */
export class Replies {
  #held = 0;

  /** Throws Problem 503 while other replies leave no memory for it. One that is alone may have any size. */
  add(response: ServerResponse, bytes: number): void {
    if (this.#held > 0 && this.#held + bytes > MOST_BYTES)
      throw new Problem(503, 'replies that clients have not read take all memory for replies; try again');
    this.#held += bytes;
    response.once('close', () => {
      this.#held -= bytes;
    });
  }
}
