import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock/clock.js';
import { CriError } from '../cri/errors.js';

/** How many tokens there may be, and for how long. */
export interface TokenLimits {
  /** How long an unused token is good for, in ms. */
  readonly ttl: number;
  /** How many unused tokens there may be. */
  readonly pending: number;
}

/** 128 bits. */
const TOKEN_BYTES = 16;

/** Requests that wait for a client to come with their token; each token is good once. */
export class TokenStore<T> {
  readonly #clock: Clock;
  readonly #limits: TokenLimits;
  /** Oldest first, and so the first to expire first. */
  readonly #waiting = new Map<string, { readonly request: T; readonly expires: number }>();

  constructor(clock: Clock, limits: TokenLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Throws `exhausted` while too many tokens are unused. */
  issue(request: T): string {
    this.#expire();
    if (this.#waiting.size >= this.#limits.pending)
      throw new CriError('exhausted', 'maximum number of in-flight requests exceeded');
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#waiting.set(token, { request, expires: this.#clock.elapsed() + this.#limits.ttl });
    return token;
  }

  /** The request of a token, which is used up by this; undefined when it is unknown, used or expired. */
  consume(token: string): T | undefined {
    this.#expire();
    const found = this.#waiting.get(token);
    this.#waiting.delete(token);
    return found?.request;
  }

  #expire(): void {
    const now = this.#clock.elapsed();
    for (const [token, { expires }] of this.#waiting) {
      if (expires > now) return;
      this.#waiting.delete(token);
    }
  }
}
