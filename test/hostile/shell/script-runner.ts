import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createRealClock } from '../../../src/base/clock/real-clock.js';
import type { Order, Outcome } from './runner.js';

/** Real time in ms after which a script counts as hung. */
const HUNG = 180_000;

const clock = createRealClock();

/** Runs scripts in a child process, and starts another one when a script ends it. */
export class ScriptRunner {
  #child: ChildProcess | undefined;

  async run(order: Order): Promise<Outcome> {
    this.#child ??= await start();
    const child = this.#child;
    const over = new AbortController();
    child.send(order);
    try {
      return await Promise.race([answer(child, over.signal), hung(over.signal)]);
    } catch (error) {
      this.close();
      return { wrong: (error as Error).message };
    } finally {
      over.abort();
    }
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}

async function start(): Promise<ChildProcess> {
  const path = fileURLToPath(new URL('./runner.ts', import.meta.url));
  const child = fork(path, {
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=8', '--import', 'tsx'],
  });
  await once(child, 'message');
  return child;
}

async function answer(child: ChildProcess, signal: AbortSignal): Promise<Outcome> {
  const ended = once(child, 'exit', { signal }).then(([code, name]) => {
    throw new Error(`the process ended with it: ${name ?? `exit code ${code}`}`);
  });
  const [outcome] = (await Promise.race([once(child, 'message', { signal }), ended])) as [Outcome];
  return outcome;
}

async function hung(signal: AbortSignal): Promise<never> {
  await clock.sleep(HUNG, signal);
  throw new Error(`it had not ended after ${HUNG / 1000} s`);
}
