import { blame } from './blame.js';
import { type Effect, runContained } from './contained.js';
import { complaint } from './observer.js';

/** A child process that runs scripts, one after another: what blocks or takes memory there is nobody else's. */

/** What scripts find in their directory and their variables. */
const SETUP = "a=x b='x y,z' i=0; mkdir -p d; seq 500 >f; head -c 70000 /dev/zero >g; echo 'x,y z' >r\n";

/** A script, and how much processor time it has before it is killed, in ms. */
export interface Order {
  readonly script: string;
  readonly patience: number;
}

/** What becomes of a script. */
export interface Outcome {
  readonly effect?: Effect;
  /** What is wrong; undefined if nothing is. */
  readonly wrong?: string;
  /** For a wrong one: which functions ran in the longest block when it ran again. */
  readonly functions?: readonly string[];
}

async function outcomeOf({ script, patience }: Order): Promise<Outcome> {
  try {
    const effect = await runContained(SETUP + script, patience);
    const wrong = complaint(effect);
    return wrong === undefined
      ? { effect }
      : { effect, wrong, functions: await blame(SETUP + script, patience) };
  } catch (error) {
    const { stack, message } = error as Error;
    return { wrong: stack ?? message };
  }
}

// What was compiled is not compiled again.
for (const script of [SETUP, 'seq 100000 | sort | sed s/1/2/ | awk "{print \\$1}"'])
  await runContained(script, 1000);
process.on('message', (order: Order) => {
  void outcomeOf(order).then((outcome) => process.send?.(outcome));
});
process.send?.('ready');
