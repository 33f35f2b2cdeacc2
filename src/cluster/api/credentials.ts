import type { Clock } from '../../base/clock/clock.js';
import { readTextFile } from '../../base/input/text-file.js';

/** What a request proves its sender with. */
export interface Proof {
  /** Value of the header Authorization. */
  readonly authorization?: string | undefined;
  /** Client certificate and its key, in PEM. */
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** Where the proof of each request comes from. */
export interface Credentials {
  /** May read a file or run a program. Rejects with what is wrong. */
  proof(): Promise<Proof>;
  /** The API server answered 401: what is remembered is not good any more. */
  refused(): void;
}

/** The same proof forever. */
export const fixedCredentials = (proof: Proof): Credentials => ({
  proof: async () => proof,
  refused: () => {},
});

/** How long the content of a token file is used, in ms (client-go transport/token_source.go). */
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
