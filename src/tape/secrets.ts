import { PrefixTree } from './prefix-tree.js';

/** A value that is at least so long is looked for in free texts too, such as the details of an error. */
const SHORTEST = 6;
const LONGEST = 4096;
/** Secrets that are looked for in free texts. */
const MOST = 2000;

/** Comparisons of a line: so many, and in addition so many for each of its characters. A usual text needs one of them. */
const LEAST_WORK = 4 * 1024 * 1024;
const WORK_PER_CHARACTER = 8;
/** What a hash costs, in comparisons. */
const HASH = 4096;

/** Values that must not stand in free texts. */
export interface Secrets {
  /** Also looks for this value. The oldest of more than 2,000 is forgotten. */
  remember(value: string): void;
  /** The next texts are those of another line. */
  nextLine(): void;
  /**
   * The text with the hash of each secret in its place; of several that overlap, the hash of what they cover. A text in
   * which secrets take too long to find is hidden as a whole.
   */
  hide(text: string): string;
}

/** Makes a collection of private values, at most `most`. */
export function createSecrets(hash: (text: string) => string, most = MOST): Secrets {
  const known = new Set<string>();
  const tree = new PrefixTree<Secret>();
  let work = 0;
  let allowed = LEAST_WORK;
  const ownHash = (secret: Secret): string => {
    secret.hash ??= hash(secret.value);
    return secret.hash;
  };
  const hashOf = (text: string): string => {
    work += HASH;
    return hash(text);
  };

  /** The parts of a text that secrets cover, with their hashes; undefined for too much work. */
  const partsOf = (text: string): Part[] | undefined => {
    const parts: Part[] = [];
    for (let at = 0; at <= text.length - SHORTEST; at++) {
      const before = tree.compared;
      const found = tree.longestAt(text, at);
      work += tree.compared - before;
      if (work > allowed) return undefined;
      if (found === undefined) continue;
      const last = parts.at(-1);
      if (last === undefined || at >= last.to) parts.push({ from: at, to: found.end, secret: found.value });
      else if (found.end > last.to) {
        last.to = found.end;
        last.secret = undefined;
      }
    }
    return parts;
  };

  const withHashes = (text: string, parts: readonly Part[]): string | undefined => {
    const pieces: string[] = [];
    let end = 0;
    for (const { from, to, secret } of parts) {
      pieces.push(text.slice(end, from), secret ? ownHash(secret) : hashOf(text.slice(from, to)));
      if (work > allowed) return undefined;
      end = to;
    }
    return pieces.join('') + text.slice(end);
  };

  return {
    remember: (value) => {
      if (value.length < SHORTEST || value.length > LONGEST || known.has(value)) return;
      known.add(value);
      tree.set(value, { value, hash: undefined });
      const [oldest] = known;
      if (known.size <= most || oldest === undefined) return;
      known.delete(oldest);
      tree.delete(oldest);
    },
    nextLine: () => {
      work = 0;
      allowed = LEAST_WORK;
    },
    hide: (text) => {
      if (text.length < SHORTEST || known.size === 0) return text;
      allowed += WORK_PER_CHARACTER * text.length;
      const parts = partsOf(text);
      if (parts?.length === 0) return text;
      return (parts && withHashes(text, parts)) ?? hash(text);
    },
  };
}

/** A part of a text that secrets cover; the secret, where it is one. */
interface Part {
  readonly from: number;
  to: number;
  secret: Secret | undefined;
}

/** A value that is looked for; its hash, once it was found. */
interface Secret {
  readonly value: string;
  hash: string | undefined;
}
