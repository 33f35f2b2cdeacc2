import { median } from './result.js';

const ROUNDS = 3;

/** Measures two rates alternately, so that load on the machine affects both, and takes medians. */
export async function byTurns(base: () => Promise<number>, measured: () => Promise<number>) {
  const rates: { readonly base: number; readonly measured: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rates.push({ base: await base(), measured: await measured() });
  return {
    base: median(rates.map((rate) => rate.base)),
    measured: median(rates.map((rate) => rate.measured)),
    ratio: median(rates.map((rate) => rate.measured / rate.base)),
  };
}
