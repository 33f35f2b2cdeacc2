import type { Clock } from '../../base/clock/clock.js';
import { firstOfEach } from '../../base/input/first-of-each.js';
import { loadOracle } from '../scenario/expect/oracle.js';
import type { LoadedScenario } from '../scenario/file/loaded-scenario.js';
import { candidatesOf } from './catalog/catalog.js';
import { otherSeeds } from './catalog/seeds.js';
import { createLocalPool, type Pool } from './pool/pool.js';
import { createThreadPool } from './pool/thread-pool.js';
import { kindOf, type ScheduleFinding } from './run/finding.js';
import { createRunner, type RunnerOptions } from './run/runner.js';
import { hashOf } from './search/job.js';
import { createSearch, type SavedSearch, type SearchOptions } from './search/search.js';

/** How much is tried. */
export interface Budget {
  readonly schedules?: number | undefined;
  /** ms of real time. */
  readonly time?: number | undefined;
}

/** What is explored, and how far. */
export interface ExploreOptions extends SearchOptions, Omit<RunnerOptions, 'oracle'> {
  readonly scenario: LoadedScenario;
  readonly budget: Budget;
  /** File of a rule of the user's own. */
  readonly oracle?: string | undefined;
  readonly clock: Clock;
  /** Worker threads; 0 works in this thread. They need the built program. */
  readonly workers: number;
  /** Ends the search early; what was found until then is the result. */
  readonly signal?: AbortSignal | undefined;
  /** Where an earlier exploration with the same options has come to. */
  readonly saved?: SavedExploration | undefined;
  /** Called after each round of schedules. `save` gives what `saved` takes. */
  readonly onProgress?: ((progress: ExploreProgress, save: () => SavedExploration) => void) | undefined;
}

/** An exploration that can be continued: JSON. */
export interface SavedExploration {
  readonly schedules: number;
  readonly search: SavedSearch;
  readonly found: readonly ScheduleFinding[];
}

/** Whether an object has the parts of the state of an exploration. */
export const isSavedExploration = (saved: object): saved is SavedExploration =>
  'schedules' in saved && 'search' in saved && 'found' in saved;

/** How far an exploration is. */
export interface ExploreProgress {
  readonly schedules: number;
  /** Schedules in each second of real time. */
  readonly perSecond: number;
  /** Different states of runtime and kubelet. */
  readonly coverage: number;
  /** Kinds of findings. */
  readonly findings: number;
  /** Findings that were reduced; undefined during the search. */
  readonly reduced: number | undefined;
}

/** A finding, reduced to what it needs. */
export interface Explored {
  readonly kind: string;
  readonly finding: ScheduleFinding;
  readonly scenario: LoadedScenario;
}

/** What an exploration comes to. */
export interface Exploration {
  readonly schedules: number;
  readonly perSecond: number;
  readonly coverage: number;
  readonly findings: readonly Explored[];
  /** Nothing is left to try, within the depth. */
  readonly isComplete: boolean;
}

/** Schedules that are chosen together: with fewer, threads wait; with more, less is learned in between. */
const ROUND = 32;

/**
 * Tries schedules until the budget is used up, and reduces the first finding of each kind. The result depends on the
 * scenario, the seed and the number of schedules, but not on the number of workers. Rejects when the scenario cannot run.
 */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const { scenario, budget, clock, workers, oracle, program, compares, signal, saved, onProgress } = options;
  const begun = clock.elapsed();
  const rule = oracle === undefined ? undefined : await loadOracle(oracle);
  const runner = createRunner(scenario, { oracle: rule, program, compares });
  const baseline = await runner.run([]);
  const points = candidatesOf(baseline.points).map((each) => ({ ...each, state: hashOf(each.state) }));
  const singles = [...points, ...(program === undefined ? [] : otherSeeds(scenario.seed))];
  const search = createSearch(singles, options, saved?.search);
  const subject = { scenario, oracle, program, compares };
  const pool = workers > 0 ? createThreadPool(subject, workers) : createLocalPool(subject, runner);
  const found = new Map<string, ScheduleFinding>();
  for (const finding of saved?.found ?? baseline.findings) found.set(kindOf(finding), finding);
  search.learn([], { states: baseline.points.states.map(hashOf), next: [] });
  const before = saved?.schedules ?? 0;
  let schedules = before;
  const perSecond = () => (schedules - before) / Math.max(0.001, (clock.elapsed() - begun) / 1000);
  const save = () => ({ schedules, search: search.save(), found: [...found.values()] });
  let reduced: number | undefined;
  const report = (speed = perSecond()) =>
    onProgress?.(
      { schedules, perSecond: speed, coverage: search.coverage, findings: found.size, reduced },
      save,
    );

  const isOver = () =>
    signal?.aborted === true ||
    schedules >= (budget.schedules ?? Number.POSITIVE_INFINITY) ||
    clock.elapsed() - begun >= (budget.time ?? Number.POSITIVE_INFINITY);
  let isComplete = false;
  try {
    while (!isOver()) {
      const round = search.take(Math.min(ROUND, (budget.schedules ?? Number.POSITIVE_INFINITY) - schedules));
      isComplete = round.length === 0;
      if (isComplete) break;
      const jobs = round.map((schedule) => ({
        schedule,
        extend: schedule.length < Math.min(2, options.depth),
      }));
      const results = await pool.run(jobs, signal);
      for (const [index, result] of results.entries()) {
        schedules++;
        search.learn(round[index] ?? [], result);
        for (const finding of result.findings) keep(found, finding);
      }
      report();
    }
    const speed = perSecond();
    const findings = await reduce(pool, [...found.values()], signal, () => {
      reduced = (reduced ?? 0) + 1;
      report(speed);
    });
    return { schedules, perSecond: speed, coverage: search.coverage, findings, isComplete };
  } finally {
    await pool.close();
  }
}

/** Keeps a finding whose way there does not contain that of another one with the same rule. */
function keep(found: Map<string, ScheduleFinding>, finding: ScheduleFinding): void {
  const kinds = new Set(finding.schedule.map(({ kind }) => kind));
  for (const known of found.values())
    if (known.rule === finding.rule && known.schedule.every(({ kind }) => kinds.has(kind))) return;
  found.set(kindOf(finding), finding);
}

/** Reduces each finding; those that come to the same kind then are one. */
async function reduce(
  pool: Pool,
  found: readonly ScheduleFinding[],
  signal: AbortSignal | undefined,
  onEach: () => void,
): Promise<Explored[]> {
  const reduced = await pool.shrink(found, signal, onEach);
  const explored = reduced.map(({ finding, scenario }) => ({ kind: kindOf(finding), finding, scenario }));
  return firstOfEach(explored, ({ kind }) => kind).sort((a, b) => (a.kind < b.kind ? -1 : 1));
}
