import { startThreads } from '../explore/pool/threads.js';
import { createEvaluate, type Subject, type Trial, type Tried } from './search/evaluate.js';

/** Runs trials, several at a time. */
export interface TrialPool {
  /** The results in the order of the trials. What an aborted signal leaves undone is missing at the end. */
  run(trials: readonly Trial[], signal?: AbortSignal): Promise<Tried[]>;
  close(): Promise<void>;
}

/** A pool that does one after the other in this thread. */
export function createLocalTrials(subject: Subject): TrialPool {
  const evaluate = createEvaluate(subject);
  return {
    run: async (trials, signal) => {
      const results: Tried[] = [];
      for (const trial of trials) {
        if (signal?.aborted) break;
        results.push(await evaluate(trial));
      }
      return results;
    },
    close: async () => {},
  };
}

/** A pool of this many threads, which need the built program. */
export function createTrialThreads(subject: Subject, count: number): TrialPool {
  const threads = startThreads<Trial>('dist/src/reproduce/worker.js', subject, count);
  return {
    run: async (trials, signal) => {
      const results = await threads.doAll<Tried>(trials, signal);
      const gap = results.indexOf(undefined);
      return results.slice(0, gap < 0 ? results.length : gap) as Tried[];
    },
    close: threads.close,
  };
}
