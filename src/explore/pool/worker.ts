import { parentPort, workerData } from 'node:worker_threads';
import { config as configureZod } from 'zod';
import type { LoadedScenario } from '../../scenario/loaded-scenario.js';
import { type Job, runJob } from '../job.js';
import { createRunner } from '../runner.js';

// The thread of a pool: one scenario, one job after the other.
configureZod({ jitless: true });
const runner = createRunner(workerData as LoadedScenario);
parentPort?.on('message', async ({ index, job }: { readonly index: number; readonly job: Job }) => {
  try {
    parentPort?.postMessage({ index, result: await runJob(runner, job) });
  } catch (error) {
    parentPort?.postMessage({ index, failure: error instanceof Error ? error.stack : String(error) });
  }
});
