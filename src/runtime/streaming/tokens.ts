import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.js';
import { CriError } from '../../cri/errors.js';
import type { StreamRequest } from './request.js';

/** How many tokens there may be, and for how long. */
export interface TokenLimits {
  /** How long an unused token is good for, in ms. */
  readonly ttl: number;
  /** How many unused tokens there may be. */
  readonly pending: number;
  /** How many characters the commands behind unused tokens may have. */
  readonly pendingCommands: number;
}

/** 128 bits. */
const TOKEN_BYTES = 16;

/** Requests that wait for a client to come with their token; each token is good once. */
export class TokenStore {
  readonly #clock: Clock;
  readonly #limits: TokenLimits;
  /** Oldest first, and so the first to expire first. */
  readonly #waiting = new Map<string, { readonly request: StreamRequest; readonly expires: number }>();

  #characters = 0;

  constructor(clock: Clock, limits: TokenLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Throws `exhausted` while too many tokens are unused. */
  issue(request: StreamRequest): string {
    this.#expire();
    const characters = this.#characters + lengthOf(request);
    if (this.#waiting.size >= this.#limits.pending || characters > this.#limits.pendingCommands)
      throw new CriError('exhausted', 'maximum number of in-flight requests exceeded');
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#characters = characters;
    this.#waiting.set(token, { request, expires: this.#clock.elapsed() + this.#limits.ttl });
    return token;
  }

  /** The request of a token, which is used up by this; undefined when it is unknown, used or expired. */
  consume(token: string): StreamRequest | undefined {
    this.#expire();
    return this.#take(token);
  }

  /** Forgets all, as a process that has ended. */
  clear(): void {
    this.#waiting.clear();
    this.#characters = 0;
  }

  #take(token: string): StreamRequest | undefined {
    const request = this.#waiting.get(token)?.request;
    if (request === undefined) return undefined;
    this.#waiting.delete(token);
    this.#characters -= lengthOf(request);
    return request;
  }

  #expire(): void {
    const now = this.#clock.elapsed();
    for (const [token, { expires }] of this.#waiting) {
      if (expires > now) return;
      this.#take(token);
    }
  }
}

const lengthOf = (request: StreamRequest): number =>
  request.kind === 'exec' ? request.session.command.reduce((sum, { length }) => sum + length, 0) : 0;
