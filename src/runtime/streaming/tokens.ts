import { randomBytes } from 'node:crypto';
import type { Clock } from '../../base/clock/clock.js';
import { CriError } from '../../cri/errors.js';
import type { StreamingLimits } from './limits.js';
import type { StreamRequest } from './request.js';

type TokenLimits = Pick<StreamingLimits, 'tokenTtl' | 'pendingTokens' | 'pendingCommands'>;

/** 128 bits. */
const TOKEN_BYTES = 16;

/** Requests that wait for a client with their token; each token is valid once. */
export class TokenStore {
  readonly #clock: Clock;
  readonly #limits: TokenLimits;
  /** Oldest first, which is also the order of expiry. */
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
    if (this.#waiting.size >= this.#limits.pendingTokens || characters > this.#limits.pendingCommands)
      throw new CriError('exhausted', 'maximum number of in-flight requests exceeded');
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#characters = characters;
    this.#waiting.set(token, { request, expires: this.#clock.elapsed() + this.#limits.tokenTtl });
    return token;
  }

  /** Returns the request of a token, and uses the token up; undefined for an unknown, used or expired token. */
  consume(token: string): StreamRequest | undefined {
    this.#expire();
    return this.#take(token);
  }

  /** Forgets all requests, as if the process had ended. */
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
