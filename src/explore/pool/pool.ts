import { Worker } from 'node:worker_threads';
import { packagePath } from '../../input/package-path.js';
import type { LoadedScenario } from '../../scenario/loaded-scenario.js';
import { type Job, type JobResult, runJob } from '../job.js';
import type { Runner } from '../runner.js';

/** Runs jobs, several at a time. */
export interface Pool {
  /** The results in the order of the jobs. What an aborted signal leaves undone is missing at the end. */
  run(jobs: readonly Job[], signal?: AbortSignal): Promise<JobResult[]>;
  close(): Promise<void>;
}

/** A pool that runs one job after the other in this thread. */
export const createLocalPool = (runner: Runner): Pool => ({
  run: async (jobs, signal) => {
    const results: JobResult[] = [];
    for (const job of jobs) {
      if (signal?.aborted) break;
      results.push(await runJob(runner, job));
    }
    return results;
  },
  close: async () => {},
});

interface Answer {
  readonly index: number;
  readonly result?: JobResult;
  readonly failure?: string;
}

/** Most of what a run makes lives for less than the run: with Node's default, a third of the time is garbage collection. */
const YOUNG_GENERATION = 48;

/** A pool of this many threads. Each makes its own baseline first. Rejects with what ends a thread. */
export function createThreadPool(scenario: LoadedScenario, threads: number): Pool {
  const file = packagePath('dist/src/explore/pool/worker.js');
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION };
  const workers = Array.from(
    { length: threads },
    () => new Worker(file, { workerData: scenario, resourceLimits }),
  );
  return {
    run: async (jobs, signal) => {
      const results: JobResult[] = [];
      let next = 0;
      await Promise.all(
        workers.map(async (worker) => {
          while (next < jobs.length && !signal?.aborted) {
            const index = next++;
            results[index] = await ask(worker, index, jobs[index] as Job);
          }
        }),
      );
      // Those that are done, up to the first that is not.
      const gap = Array.from(results, (each) => each === undefined).indexOf(true);
      return gap < 0 ? results : results.slice(0, gap);
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function ask(worker: Worker, index: number, job: Job): Promise<JobResult> {
  return new Promise((resolve, reject) => {
    const done = () => {
      worker.off('message', answered).off('error', reject).off('exit', ended);
    };
    const answered = ({ result, failure }: Answer) => {
      done();
      if (result === undefined) reject(new Error(failure));
      else resolve(result);
    };
    const ended = (code: number) => reject(new Error(`a worker thread has ended with ${code}`));
    worker.once('message', answered).once('error', reject).once('exit', ended);
    worker.postMessage({ index, job });
  });
}
