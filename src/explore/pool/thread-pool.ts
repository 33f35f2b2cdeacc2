import { Worker } from 'node:worker_threads';
import { packagePath } from '../../input/package-path.js';
import { InputError } from '../../input/yaml.js';
import type { JobResult } from '../job.js';
import type { ShrunkFinding } from '../shrink/shrink.js';
import type { Pool, PoolSubject } from './pool.js';
import type { Answer, Task } from './task.js';

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

  /** Each thread does the next task, until there are none. */
  async function doAll<T>(
    tasks: readonly Task[],
    signal: AbortSignal | undefined,
    onEach = () => {},
  ): Promise<(T | undefined)[]> {
    const results = new Array<T | undefined>(tasks.length).fill(undefined);
    const queue = tasks.entries();
    await Promise.all(
      workers.map(async (worker) => {
        for (const [index, task] of queue) {
          if (signal?.aborted) return;
          results[index] = (await ask(worker, task)) as T;
          onEach();
        }
      }),
    );
    return results;
  }

  return {
    run: async (jobs, signal) => {
      const tasks = jobs.map((job) => ({ do: 'run' as const, job }));
      const results = await doAll<JobResult>(tasks, signal);
      const gap = results.indexOf(undefined);
      return results.slice(0, gap < 0 ? results.length : gap) as JobResult[];
    },
    shrink: async (findings, signal, onEach) => {
      const stop = () => {
        for (const worker of workers) worker.postMessage({ do: 'stop' } satisfies Task);
      };
      signal?.addEventListener('abort', stop, { once: true });
      const tasks = findings.map((finding) => ({ do: 'shrink' as const, finding }));
      const results = await doAll<ShrunkFinding>(tasks, signal, onEach);
      signal?.removeEventListener('abort', stop);
      const { scenario } = subject;
      return findings.map((finding, index) => results[index] ?? { scenario, finding });
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function ask(worker: Worker, task: Task): Promise<Answer['result']> {
  return new Promise((resolve, reject) => {
    const done = () => {
      worker.off('message', answered).off('error', reject).off('exit', ended);
    };
    const answered = ({ result, problems, failure }: Answer) => {
      done();
      if (result !== undefined) resolve(result);
      else reject(problems === undefined ? new Error(failure) : new InputError(problems));
    };
    const ended = (code: number) => reject(new Error(`a worker thread has ended with ${code}`));
    worker.once('message', answered).once('error', reject).once('exit', ended);
    worker.postMessage(task);
  });
}
