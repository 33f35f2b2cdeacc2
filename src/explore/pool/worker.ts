import { parentPort, workerData } from 'node:worker_threads';
import { config as configureZod } from 'zod';
import { InputError } from '../../input/yaml.js';
import { loadOracle } from '../../scenario/oracle.js';
import { runJob } from '../job.js';
import { createRunner, type Runner } from '../runner.js';
import { shrink } from '../shrink/shrink.js';
import type { PoolSubject } from './pool.js';
import type { Answer, Task } from './task.js';

// The thread of a pool: one scenario, one task after the other.
configureZod({ jitless: true });
const { scenario, oracle } = workerData as PoolSubject;
const stop = new AbortController();
let runner: Promise<Runner> | undefined;

const makeRunner = async (): Promise<Runner> =>
  createRunner(scenario, oracle === undefined ? undefined : await loadOracle(oracle));

async function answer(task: Exclude<Task, { do: 'stop' }>): Promise<Answer> {
  runner ??= makeRunner();
  try {
    const result =
      task.do === 'run'
        ? await runJob(await runner, task.job)
        : await shrink(scenario, await runner, task.finding, stop.signal);
    return { result };
  } catch (error) {
    if (error instanceof InputError) return { problems: error.problems };
    return { failure: error instanceof Error ? error.stack : String(error) };
  }
}

parentPort?.on('message', async (task: Task) => {
  if (task.do === 'stop') stop.abort();
  else parentPort?.postMessage(await answer(task));
});
