import { Worker } from 'node:worker_threads';
import { stackOf } from '../../../base/input/error-text.js';
import { packagePath } from '../../../base/input/package-path.js';
import { InputError } from '../../../base/input/yaml.js';

/** In MiB. Most of a run's garbage dies young: with Node's default, garbage collection takes a third of the time. */
const YOUNG_GENERATION = 48;

export interface Answer<R> {
  readonly result?: R;
  readonly problems?: readonly string[];
  readonly failure?: string | undefined;
}

export interface Threads<T> {
  /** Results in the order of the tasks, without the last ones after an abort. Rejects with the error of a thread. */
  doAll<R>(tasks: readonly T[], signal?: AbortSignal, onEach?: () => void): Promise<R[]>;
  tell(task: T): void;
  close(): Promise<void>;
}

/** Starts `count` threads of a file of the built program; each gets `data`. */
export function startThreads<T>(program: string, data: unknown, count: number): Threads<T> {
  const file = packagePath(program);
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_GENERATION };
  const workers = Array.from({ length: count }, () => new Worker(file, { workerData: data, resourceLimits }));
  return {
    doAll: async <R>(tasks: readonly T[], signal?: AbortSignal, onEach = () => {}) => {
      const results: R[] = [];
      const queue = tasks.entries();
      await Promise.all(
        workers.map(async (worker) => {
          for (const [index, task] of queue) {
            if (signal?.aborted) return;
            results[index] = await ask<T, R>(worker, task);
            onEach();
          }
        }),
      );
      return results;
    },
    tell: (task) => {
      for (const worker of workers) worker.postMessage(task);
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

function ask<T, R>(worker: Worker, task: T): Promise<R> {
  return new Promise((resolve, reject) => {
    const done = () => {
      worker.off('message', answered).off('error', reject).off('exit', ended);
    };
    const answered = ({ result, problems, failure }: Answer<R>) => {
      done();
      if (result !== undefined) resolve(result);
      else reject(problems === undefined ? new Error(failure) : new InputError(problems));
    };
    const ended = (code: number) => reject(new Error(`a worker thread ended with ${code}`));
    worker.once('message', answered).once('error', reject).once('exit', ended);
    worker.postMessage(task);
  });
}

export async function answerOf<R>(work: () => Promise<R>): Promise<Answer<R>> {
  try {
    return { result: await work() };
  } catch (error) {
    if (error instanceof InputError) return { problems: error.problems };
    return { failure: stackOf(error) };
  }
}
