import type { Random } from './random.js';

/** Ids of 64 hex digits, determined by the random numbers. */
export function idsFrom(random: Random): () => string {
  return () => {
    let id = '';
    while (id.length < 64)
      id += Math.floor(random.next() * 2 ** 32)
        .toString(16)
        .padStart(8, '0');
    return id;
  };
}
