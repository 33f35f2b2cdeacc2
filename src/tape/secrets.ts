import { PrefixTree } from './prefix-tree.js';

/** Values of at least this length are also replaced in free texts, such as error details. */
const SHORTEST = 6;
const LONGEST = 4096;
const MOST = 2000;

/** Maximum number of comparisons per line, plus the same number per character. A usual text needs one per character. */
const LEAST_WORK = 4 * 1024 * 1024;
const WORK_PER_CHARACTER = 8;
const HASH = 4096;

export interface Secrets {
  /** Adds a value. Forgets the oldest of more than 2,000. */
  remember(value: string): void;
  nextLine(): void;
  /** Replaces secrets, merged if they overlap, by hashes. Hides the whole text if the search takes too long. */
  hide(text: string): string;
}

/** Collects up to `most` private values. */
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

  /** Parts of a text covered by secrets, with hashes; undefined if it takes too much work. */
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

interface Part {
  readonly from: number;
  to: number;
  secret: Secret | undefined;
}

interface Secret {
  readonly value: string;
  hash: string | undefined;
}
