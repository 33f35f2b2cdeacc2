import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { ScheduleFinding } from '../run/finding.js';
import type { Runner, RunnerOptions } from '../run/runner.js';
import { type Job, type JobResult, runJob } from '../search/job.js';
import { type ShrunkFinding, shrink } from '../shrink/shrink.js';

export interface PoolSubject extends Omit<RunnerOptions, 'oracle'> {
  readonly scenario: LoadedScenario;
  readonly oracle: string | undefined;
}

export interface Pool {
  /** Resolves with results in the order of the jobs. An aborted signal leaves out the unfinished ones at the end. */
  run(jobs: readonly Job[], signal?: AbortSignal): Promise<JobResult[]>;
  /** Resolves with findings in the same order, shrunk until the signal aborts. `onEach` is called after each. */
  shrink(
    findings: readonly ScheduleFinding[],
    signal: AbortSignal | undefined,
    onEach: () => void,
  ): Promise<ShrunkFinding[]>;
  close(): Promise<void>;
}

export const createLocalPool = ({ scenario }: PoolSubject, runner: Runner): Pool => ({
  run: async (jobs, signal) => {
    const results: JobResult[] = [];
    for (const job of jobs) {
      if (signal?.aborted) break;
      results.push(await runJob(runner, job));
    }
    return results;
  },
  shrink: async (findings, signal, onEach) => {
    const results: ShrunkFinding[] = [];
    for (const finding of findings) {
      results.push(await shrink(scenario, runner, finding, signal));
      onEach();
    }
    return results;
  },
  close: async () => {},
});
