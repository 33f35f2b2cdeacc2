import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { Schedule } from '../catalog/perturbation.js';
import type { ScheduleFinding } from '../run/finding.js';
import type { Runner } from '../run/runner.js';
import { shorter } from './shorter.js';
import { simpler } from './simpler.js';

export interface ShrunkFinding {
  readonly scenario: LoadedScenario;
  readonly finding: ScheduleFinding;
}

const MOST_RUNS = 120;

/**
 * Delta debugging: removes everything that the finding does not need, one by one: perturbations, pods, containers,
 * fields, settings, and half of each time. `signal` stops early.
 */
export async function shrink(
  scenario: LoadedScenario,
  runner: Runner,
  found: ScheduleFinding,
  signal?: AbortSignal,
): Promise<ShrunkFinding> {
  let best = { scenario, runner, finding: found };
  let runs = 0;
  const mayContinue = () => signal?.aborted !== true && runs < MOST_RUNS;

  const tryOut = async (given: LoadedScenario, using: Runner, schedule: Schedule): Promise<boolean> => {
    runs++;
    // If the scenario cannot run without the part, it needs the part.
    const finding = await using.breaks(schedule, found.rule, found.pod).catch(() => undefined);
    if (finding === undefined || (await isOther(given, using))) return false;
    best = { scenario: given, runner: using, finding };
    return true;
  };

  /** If the smaller scenario alone breaks the rule, unlike the explored one, it is a different finding. */
  const isOther = async (given: LoadedScenario, using: Runner): Promise<boolean> =>
    found.schedule.length > 0 &&
    given !== best.scenario &&
    (await using.breaks([], found.rule, found.pod)) !== undefined;

  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const schedule of smallerSchedules(best.finding.schedule)) {
      if (!mayContinue()) break;
      if (!(await tryOut(best.scenario, best.runner, schedule))) continue;
      isSmaller = true;
      break;
    }
    if (isSmaller) continue;
    for (const given of simpler(best.scenario)) {
      if (!mayContinue()) break;
      if (!(await tryOut(given, runner.with(given), best.finding.schedule))) continue;
      isSmaller = true;
      break;
    }
  }
  return { scenario: best.scenario, finding: best.finding };
}

function* smallerSchedules(schedule: Schedule): Generator<Schedule> {
  for (const index of schedule.keys()) yield schedule.filter((_, at) => at !== index);
  for (const [index, perturbation] of schedule.entries())
    for (const made of shorter(perturbation)) yield schedule.map((each, at) => (at === index ? made : each));
}
