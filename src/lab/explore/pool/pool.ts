import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { ScheduleFinding } from '../run/finding.js';
import type { Runner, RunnerOptions } from '../run/runner.js';
import { type Job, type JobResult, runJob } from '../search/job.js';
import { type ShrunkFinding, shrink } from '../shrink/shrink.js';

/** What a pool explores. */
export interface PoolSubject extends Omit<RunnerOptions, 'oracle'> {
  readonly scenario: LoadedScenario;
  /** File of a rule of the user's own. */
  readonly oracle: string | undefined;
}

/** Runs jobs and reduces findings, several at a time. */
export interface Pool {
  /** The results in the order of the jobs. What an aborted signal leaves undone is missing at the end. */
  run(jobs: readonly Job[], signal?: AbortSignal): Promise<JobResult[]>;
  /** The findings in the same order, reduced as far as an aborted signal allows. `onEach` is called after each. */
  shrink(
    findings: readonly ScheduleFinding[],
    signal: AbortSignal | undefined,
    onEach: () => void,
  ): Promise<ShrunkFinding[]>;
  close(): Promise<void>;
}

/** A pool that does one after the other in this thread. */
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
