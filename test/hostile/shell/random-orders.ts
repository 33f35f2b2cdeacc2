import fc from 'fast-check';
import { randomScript } from './random-script.js';
import type { Order } from './runner.js';

/** Processor time of a script in ms, and of one in ten: many run forever. */
const PATIENCE = 50;
export const LONG_PATIENCE = 500;
/** Scripts that fast-check makes from one seed. */
const BATCH = 100;

/** Random scripts, the same ones for the same seed. */
export function* randomOrders(seed: number, count: number): Generator<Order> {
  for (let made = 0; made < count; made += BATCH) {
    const numRuns = Math.min(BATCH, count - made);
    const scripts = fc.sample(randomScript, { seed: seed + made / BATCH, numRuns });
    for (const [index, script] of scripts.entries())
      yield { script, patience: index % 10 === 0 ? LONG_PATIENCE : PATIENCE };
  }
}
