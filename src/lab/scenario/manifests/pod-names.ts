import { createHash } from 'node:crypto';

/** Letters of generated names (apimachinery util/rand): no vowels and no similar characters. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** Derived from the texts, so stable, where a cluster has random ones. */
export function letters(length: number, ...texts: readonly string[]): string {
  const bytes = createHash('sha256').update(texts.join('\0')).digest();
  return Array.from({ length }, (_, index) => LETTERS[(bytes[index] ?? 0) % LETTERS.length]).join('');
}

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

/** The API server cuts the base of a generated name to this length (names/generate.go). */
const LONGEST_BASE = 58;

/** A name like the API server's for `generateName`. */
export const generatedName = (base: string, ...texts: readonly string[]): string =>
  `${base.slice(0, LONGEST_BASE)}${letters(5, base, ...texts)}`;
