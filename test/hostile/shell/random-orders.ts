import fc from '../../support/properties.js';
import { LONG_PATIENCE, type Patience } from './observer.js';
import { randomScript } from './random-script.js';
import type { Order } from './runner.js';

/** Many scripts run forever. One of LONG_ONE gets more time, since a loop that holds no more may still leak. */
const PATIENCE: Patience = { still: 5, most: 500 };
const LONG_ONE = 100;
/** Scripts that fast-check generates from one seed. */
const BATCH = 100;

/** Random scripts, the same ones for the same seed. */
export function* randomOrders(seed: number, count: number): Generator<Order> {
  for (let made = 0; made < count; made += BATCH) {
    const numRuns = Math.min(BATCH, count - made);
    const scripts = fc.sample(randomScript, { seed: seed + made / BATCH, numRuns });
    for (const [index, script] of scripts.entries())
      yield { script, patience: index % LONG_ONE === 0 ? LONG_PATIENCE : PATIENCE };
  }
}
