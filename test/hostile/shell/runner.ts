import { blame } from './blame.js';
import { type Effect, runContained } from './contained.js';
import { complaint, LONG_PATIENCE, type Patience } from './observer.js';

/** A child process that runs scripts, one after another, so that blocks and memory use affect no other test. */

export interface Order {
  readonly script: string;
  readonly patience: Patience;
}

export interface Outcome {
  readonly effect?: Effect;
  /** The problem; undefined without one. */
  readonly wrong?: string;
  /** For a script with a problem: the functions in its longest block in a second run. */
  readonly functions?: readonly string[];
}

async function outcomeOf({ script, patience }: Order): Promise<Outcome> {
  try {
    const effect = await runContained(script, patience);
    const wrong = complaint(effect);
    return wrong === undefined ? { effect } : { effect, wrong, functions: await blame(script, patience) };
  } catch (error) {
    const { stack, message } = error as Error;
    return { wrong: stack ?? message };
  }
}

// Compiles the commands once, before the first script.
await runContained('seq 100000 | sort | sed s/1/2/ | awk "{print \\$1}"', LONG_PATIENCE);
process.on('message', (order: Order) => {
  void outcomeOf(order).then((outcome) => process.send?.(outcome));
});
// The command that gives the scripts has ended.
process.on('disconnect', () => process.exit());
process.send?.('ready');
