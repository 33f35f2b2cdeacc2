import { withoutTimes } from '../../../base/input/without-times.js';

/** Kubelets before 1.26 do not name the container and pod. */
const OF_WHICH = /^(Back-off restarting failed container) \S+ in pod \S+$/;

function wordsOf(text: string): Set<string> {
  const plain = withoutTimes(text)
    .replace(OF_WHICH, '$1')
    .replace(/\b[0-9a-f]{8,64}\b/gi, '')
    .toLowerCase();
  return new Set(plain.match(/[a-z][a-z]+/g) ?? []);
}

/** Equal for messages with the same words, regardless of ids, times and numbers. */
export const wordsKey = (text: string): string => [...wordsOf(text)].sort().join(' ');

/** Cached comparisons: runs repeat messages. */
const known = new Map<string, number>();
const MOST_KNOWN = 20_000;

/** Similarity of two messages from 0 to 1: their share of common words. */
export function textMatch(a: string, b: string): number {
  if (a === b) return 1;
  const key = `${a}\0${b}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  const [left, right] = [wordsOf(a), wordsOf(b)];
  const both = [...left].filter((word) => right.has(word)).length;
  const all = left.size + right.size - both;
  const match = all === 0 ? 1 : both / all;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(key, match);
  return match;
}
