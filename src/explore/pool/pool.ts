import { Worker } from 'node:worker_threads';
import { packagePath } from '../../input/package-path.js';
import { InputError } from '../../input/yaml.js';
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

/** What the threads of a pool explore. */
export interface PoolSubject {
  readonly scenario: LoadedScenario;
  /** File of a rule of the user's own. */
  readonly oracle: string | undefined;
}

/** What a thread answers. */
export interface PoolAnswer {
  readonly index: number;
  readonly result?: JobResult;
  /** What the input is to blame for. */
  readonly problems?: readonly string[];
  readonly failure?: string | undefined;
}

/** In MiB. Most of what a run makes lives for less than the run: with Node's default, a third of the time is garbage collection. */
const YOUNG_GENERATION = 48;

/** A pool of this many threads. Each makes its own baseline first. Rejects with what ends a thread. */
export function createThreadPool(subject: PoolSubject, threads: number): Pool {
  const file = packagePath('dist/src/explore/pool/worker.js');
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION };
  const workers = Array.from(
    { length: threads },
    () => new Worker(file, { workerData: subject, resourceLimits }),
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
    const answered = ({ result, problems, failure }: PoolAnswer) => {
      done();
      if (result !== undefined) resolve(result);
      else reject(problems === undefined ? new Error(failure) : new InputError(problems));
    };
    const ended = (code: number) => reject(new Error(`a worker thread has ended with ${code}`));
    worker.once('message', answered).once('error', reject).once('exit', ended);
    worker.postMessage({ index, job });
  });
}
