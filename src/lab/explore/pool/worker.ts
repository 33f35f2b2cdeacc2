import { parentPort, workerData } from 'node:worker_threads';
import { config as configureZod } from 'zod';
import { loadOracle } from '../../scenario/expect/oracle.js';
import { createRunner, type Runner } from '../run/runner.js';
import { type JobResult, runJob } from '../search/job.js';
import { type ShrunkFinding, shrink } from '../shrink/shrink.js';
import type { PoolSubject } from './pool.js';
import type { Task } from './task.js';
import { answerOf } from './threads.js';

configureZod({ jitless: true });
const { scenario, oracle, ...options } = workerData as PoolSubject;
const stop = new AbortController();
let runner: Promise<Runner> | undefined;

const makeRunner = async (): Promise<Runner> =>
  createRunner(scenario, { ...options, oracle: oracle === undefined ? undefined : await loadOracle(oracle) });

async function perform(task: Exclude<Task, { do: 'stop' }>): Promise<JobResult | ShrunkFinding> {
  runner ??= makeRunner();
  return task.do === 'run'
    ? runJob(await runner, task.job)
    : shrink(scenario, await runner, task.finding, stop.signal);
}

parentPort?.on('message', async (task: Task) => {
  if (task.do === 'stop') stop.abort();
  else parentPort?.postMessage(await answerOf(() => perform(task)));
});
