import type { Clock } from '../../base/clock/clock.js';
import { readTextFile } from '../../base/input/text-file.js';

export interface Proof {
  readonly authorization?: string | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

export interface Credentials {
  /** May read a file or run a program. Rejects with a description of the error. */
  proof(): Promise<Proof>;
  /** The API server replied 401: cached credentials are no longer valid. */
  refused(): void;
}

export const fixedCredentials = (proof: Proof): Credentials => ({
  proof: async () => proof,
  refused: () => {},
});

/** How long to use a token file's contents, in ms (client-go transport/token_source.go). */
const TOKEN_PERIOD = 60_000;

/** A token in a file that is renewed from outside, such as that of a service account. */
export function tokenFile(file: string, clock: Clock, more: Proof = {}): Credentials {
  let read: { readonly proof: Proof; readonly at: number } | undefined;
  return {
    proof: async () => {
      if (read === undefined || clock.elapsed() - read.at > TOKEN_PERIOD) {
        const token = readTextFile(file, 'token').trim();
        read = { proof: { ...more, authorization: `Bearer ${token}` }, at: clock.elapsed() };
      }
      return read.proof;
    },
    refused: () => {
      read = undefined;
    },
  };
}
