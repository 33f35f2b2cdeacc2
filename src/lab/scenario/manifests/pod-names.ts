import { createHash } from 'node:crypto';

/** The letters of generated names (apimachinery util/rand): no vowels, and nothing that looks like another letter. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Letters that depend on these texts: the same each time, where a cluster has random ones. */
export function letters(length: number, ...texts: readonly string[]): string {
  const bytes = createHash('sha256').update(texts.join('\0')).digest();
  return Array.from({ length }, (_, index) => LETTERS[(bytes[index] ?? 0) % LETTERS.length]).join('');
}

/** A uid that depends on these texts. */
export function uidOf(...texts: readonly string[]): string {
  const hex = createHash('sha256').update(texts.join('\0')).digest('hex');
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/** What the API server leaves of the beginning of a generated name (names/generate.go). */
const LONGEST_BASE = 58;

/** A name as the API server makes it from `generateName`. */
export const generatedName = (base: string, ...texts: readonly string[]): string =>
  `${base.slice(0, LONGEST_BASE)}${letters(5, base, ...texts)}`;
