import type { Random } from './random.js';

/** Makes ids of 64 hex digits, equal ones for equal random numbers. */
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
