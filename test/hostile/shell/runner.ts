import { blame } from './blame.js';
import { type Effect, runContained } from './contained.js';
import { complaint } from './observer.js';

/** A child process that runs scripts, one after another, so that blocks and memory use affect nobody else. */

/** Prepares the files and variables of the scripts. */
const SETUP = "a=x b='x y,z' i=0; mkdir -p d; seq 500 >f; head -c 70000 /dev/zero >g; echo 'x,y z' >r\n";

/** A script, and its processor time before it is killed, in ms. */
export interface Order {
  readonly script: string;
  readonly patience: number;
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

// Compiles the commands once, before the first script.
for (const script of [SETUP, 'seq 100000 | sort | sed s/1/2/ | awk "{print \\$1}"'])
  await runContained(script, 1000);
process.on('message', (order: Order) => {
  void outcomeOf(order).then((outcome) => process.send?.(outcome));
});
process.send?.('ready');
