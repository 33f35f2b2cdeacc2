import { parentPort, workerData } from 'node:worker_threads';
import { config as configureZod } from 'zod';
import { InputError } from '../../input/yaml.js';
import { loadOracle } from '../../scenario/oracle.js';
import { type Job, type JobResult, runJob } from '../job.js';
import { createRunner, type Runner } from '../runner.js';
import type { PoolAnswer, PoolSubject } from './pool.js';

// The thread of a pool: one scenario, one job after the other.
configureZod({ jitless: true });
let runner: Promise<Runner> | undefined;

async function makeRunner(): Promise<Runner> {
  const { scenario, oracle } = workerData as PoolSubject;
  return createRunner(scenario, oracle === undefined ? undefined : await loadOracle(oracle));
}

async function answer(index: number, job: Job): Promise<PoolAnswer> {
  runner ??= makeRunner();
  try {
    const result: JobResult = await runJob(await runner, job);
    return { index, result };
  } catch (error) {
    if (error instanceof InputError) return { index, problems: error.problems };
    return { index, failure: error instanceof Error ? error.stack : String(error) };
  }
}

parentPort?.on('message', async ({ index, job }: { readonly index: number; readonly job: Job }) => {
  parentPort?.postMessage(await answer(index, job));
});
