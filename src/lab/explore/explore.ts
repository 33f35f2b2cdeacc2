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

export interface Budget {
  readonly schedules?: number | undefined;
  /** Real time in ms. */
  readonly time?: number | undefined;
}

export interface ExploreOptions extends SearchOptions, Omit<RunnerOptions, 'oracle'> {
  readonly scenario: LoadedScenario;
  readonly budget: Budget;
  readonly oracle?: string | undefined;
  readonly clock: Pick<Clock, 'elapsed' | 'setTimer'>;
  /** Worker threads; 0 runs in this thread. Workers need the built program. */
  readonly workers: number;
  /** Ends the search early and returns the findings so far. */
  readonly signal?: AbortSignal | undefined;
  readonly saved?: SavedExploration | undefined;
  /** Called after each round of schedules. `save` returns a value for `saved`. */
  readonly onProgress?: ((progress: ExploreProgress, save: () => SavedExploration) => void) | undefined;
}

export interface SavedExploration {
  readonly schedules: number;
  readonly search: SavedSearch;
  readonly found: readonly ScheduleFinding[];
}

export const isSavedExploration = (saved: object): saved is SavedExploration =>
  'schedules' in saved && 'search' in saved && 'found' in saved;

export interface ExploreProgress {
  readonly schedules: number;
  /** Schedules per second of real time. */
  readonly perSecond: number;
  readonly coverage: number;
  readonly findings: number;
  /** Number of shrunk findings; undefined during the search. */
  readonly reduced: number | undefined;
}

export interface Explored {
  readonly kind: string;
  readonly finding: ScheduleFinding;
  readonly scenario: LoadedScenario;
}

export interface Exploration {
  readonly schedules: number;
  readonly perSecond: number;
  readonly coverage: number;
  readonly findings: readonly Explored[];
  /** Nothing is left to try within the depth. */
  readonly isComplete: boolean;
}

/** Schedules per round: with fewer, threads wait; with more, the search learns less between them. */
const ROUND = 32;

/** Shares of a time budget: the search, and the search with the shrinking. Writing the findings takes the rest. */
const SEARCH = 0.6;
const SHRINK = 0.9;

/**
 * Tries schedules until the budget is exhausted, and shrinks the first finding of each kind. The result depends on the
 * scenario, the seed and the number of schedules, but not on the number of workers. Rejects when the scenario cannot
 * run.
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

  const leftOf = (share: number) =>
    budget.time === undefined ? undefined : begun + budget.time * share - clock.elapsed();
  const [searching, shrinking] = [SEARCH, SHRINK].map((share) => limited(clock, leftOf(share), signal));
  const isOver = () =>
    searching?.signal.aborted === true || schedules >= (budget.schedules ?? Number.POSITIVE_INFINITY);
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
      const results = await pool.run(jobs, searching?.signal);
      for (const [index, result] of results.entries()) {
        schedules++;
        search.learn(round[index] ?? [], result);
        for (const finding of result.findings) keep(found, finding);
      }
      report();
    }
    const speed = perSecond();
    const findings = await reduce(pool, [...found.values()], shrinking?.signal, () => {
      reduced = (reduced ?? 0) + 1;
      report(speed);
    });
    return { schedules, perSecond: speed, coverage: search.coverage, findings, isComplete };
  } finally {
    searching?.release();
    shrinking?.release();
    await pool.close();
  }
}

/** A signal that also aborts after a time in ms. */
function limited(
  clock: ExploreOptions['clock'],
  time: number | undefined,
  signal: AbortSignal | undefined,
): { readonly signal: AbortSignal; release(): void } {
  const own = new AbortController();
  const timer = time === undefined ? undefined : clock.setTimer(time, () => own.abort());
  return {
    signal: signal === undefined ? own.signal : AbortSignal.any([signal, own.signal]),
    release: () => timer?.cancel(),
  };
}

/** Keeps a finding unless its perturbations include those of another finding with the same rule. */
function keep(found: Map<string, ScheduleFinding>, finding: ScheduleFinding): void {
  const kinds = new Set(finding.schedule.map(({ kind }) => kind));
  for (const known of found.values())
    if (known.rule === finding.rule && known.schedule.every(({ kind }) => kinds.has(kind))) return;
  found.set(kindOf(finding), finding);
}

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
