export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** A separate source whose sequence depends only on this source's seed and the name. */
  fork(name: string): Random;
}

/** splitmix32 over a hashed seed; small, fast, and good enough for jitter and sampling. Not for secrets. */
export function createRandom(seed: number | string): Random {
  const text = String(seed);
  let state = fnv1a(text);
  return {
    next: () => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = state ^ (state >>> 16);
      mixed = Math.imul(mixed, 0x21f0aaad);
      mixed ^= mixed >>> 15;
      mixed = Math.imul(mixed, 0x735a2d97);
      mixed ^= mixed >>> 15;
      return (mixed >>> 0) / 2 ** 32;
    },
    fork: (name) => createRandom(`${text}/${name}`),
  };
}

/** Undefined for an empty list. */
export const pick = <T>(random: Random, list: readonly T[]): T | undefined =>
  list[Math.floor(random.next() * list.length)];

export function pickWeighted<T>(random: Random, list: readonly T[], weightOf: (item: T) => number): T {
  let left = random.next() * list.reduce((sum, item) => sum + weightOf(item), 0);
  for (const item of list) {
    left -= weightOf(item);
    if (left < 0) return item;
  }
  return list.at(-1) as T;
}

/** wait.Jitter: uniform in [duration, duration × (1 + factor)). */
export function jitter(random: Random, duration: number, factor: number): number {
  return duration + random.next() * factor * duration;
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

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
