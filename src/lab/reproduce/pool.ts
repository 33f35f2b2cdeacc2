import { startThreads } from '../explore/pool/threads.js';
import { createEvaluate, type PlannedRun, type SearchInput, type Tried } from './search/evaluate.js';

export interface RunPool {
  /** Resolves with results in the order of the runs; those without time to run are missing at the end. */
  run(runs: readonly PlannedRun[], isOver: () => boolean): Promise<Tried[]>;
  close(): Promise<void>;
}

export function createLocalRuns(input: SearchInput): RunPool {
  const evaluate = createEvaluate(input);
  return {
    run: async (runs, isOver) => {
      const results: Tried[] = [];
      for (const planned of runs) {
        if (isOver()) break;
        results.push(await evaluate(planned));
      }
      return results;
    },
    close: async () => {},
  };
}

/** The threads need the built program. */
export function createRunThreads(input: SearchInput, count: number): RunPool {
  const threads = startThreads<PlannedRun>('dist/src/lab/reproduce/worker.js', input, count);
  return {
    run: async (runs, isOver) => {
      const over = new AbortController();
      return threads.doAll<Tried>(runs, over.signal, () => {
        if (isOver()) over.abort();
      });
    },
    close: threads.close,
  };
}
