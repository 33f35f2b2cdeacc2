import { createHash } from 'node:crypto';
import type { RuntimeProfileName } from '../../../runtime/profiles/index.js';
import { type Candidate, candidatesOf } from '../../explore/catalog/catalog.js';
import type { Perturbation, Schedule } from '../../explore/catalog/perturbation.js';
import { readPoints } from '../../explore/points/points.js';
import { type Observed, observe, observeRun } from '../../explore/run/observe.js';
import { perturbed } from '../../explore/run/schedule.js';
import { withVersion } from '../../explore/subject/subject.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { Simulation } from '../../scenario/run/run.js';
import { type Fit, fitOf } from '../distance/fit.js';
import { tolerance } from '../distance/tolerance.js';
import type { Observation } from '../observation.js';
import { logKind } from '../read/log-kinds.js';
import { isSeen } from './seen-failure.js';

export interface NodeChoice {
  readonly version: string;
  readonly runtime: RuntimeProfileName;
}

export interface PlannedRun extends NodeChoice {
  readonly base: number;
  readonly schedule: Schedule;
  readonly extend: boolean;
}

export interface Tried {
  readonly score: number;
  /** When run and observation first disagree, in seconds; null if never. */
  readonly deviation: number | null;
  readonly unexplained: readonly string[];
  /** Equal for runs with the same course. */
  readonly way: string;
  /** When the run first differs from the one without perturbations, in ms; null if never. */
  readonly effect: number | null;
  /** Perturbations that can follow; null unless requested. */
  readonly next: readonly Perturbation[] | null;
}

export interface SearchInput {
  readonly bases: readonly LoadedScenario[];
  readonly seen: Observation;
}

export type Evaluate = (planned: PlannedRun) => Promise<Tried>;

/** Maximum number of perturbations of one kind that extend a run. */
const MOST_OF_KIND = 6;

export const scenarioOf = (
  { bases }: SearchInput,
  { base, version, runtime, schedule }: PlannedRun,
): LoadedScenario => {
  const scenario = withVersion(bases[base] as LoadedScenario, version);
  return { ...perturbed(scenario, schedule), runtime, until: scenario.until };
};

export function createEvaluate(input: SearchInput): Evaluate {
  const plain = new Map<string, Promise<Simulation | undefined>>();
  const plainOf = (planned: PlannedRun): Promise<Simulation | undefined> => {
    const key = `${planned.base} ${planned.version} ${planned.runtime}`;
    const run =
      plain.get(key) ?? observeRun(scenarioOf(input, { ...planned, schedule: [] })).then((each) => each.run);
    plain.set(key, run);
    return run;
  };
  return async (planned) => {
    const scenario = scenarioOf(input, planned);
    const end = scenario.until / 1000;
    // Recording a tape, which shows where a run can be perturbed, takes half of the run's time.
    const observed: Observed = await (planned.extend ? observe : observeRun)(scenario);
    if (observed.run === undefined) return failed;
    const fit = fitOf(input.seen, observed.run, end);
    const base = planned.schedule.length === 0 ? undefined : await plainOf(planned);
    return {
      score: Math.round(fit.score * 1e4) / 1e4,
      deviation: Number.isFinite(fit.deviation) ? fit.deviation : null,
      unexplained: fit.unexplained,
      way: createHash('sha256').update(signatureOf(observed.run)).digest('base64url').slice(0, 11),
      effect: base === undefined ? null : effectOf(base, observed.run),
      next: planned.extend ? nextOf(observed, planned.schedule, fit, scenario.until) : null,
    };
  };
}

/** Equal for runs with the same states of pods, node and runtime and the same events; ignores times. */
function signatureOf(run: Simulation): string {
  const rows = run.rows.map(({ pod, ready, status, restarts }) => `${pod} ${ready} ${status} ${restarts}`);
  const nodes = run.nodes.map(({ ready, evicting }) => `${ready} ${evicting}`);
  const events = new Set(run.events.map(({ pod, reason }) => `${pod} ${reason}`));
  const log = new Set(run.log.flatMap(({ text }) => logKind(text) ?? []));
  const containerEvents = run.containerEvents.map(
    ({ pod, container, attempt, what, exitCode }) =>
      `${pod}/${container}#${attempt} ${what} ${exitCode ?? ''}`,
  );
  const left = run.left.map(({ pod, sandboxes, containers }) => `${pod} ${sandboxes} ${containers}`);
  return JSON.stringify([rows, nodes, [...events].sort(), [...log].sort(), containerEvents, left]);
}

/** A run that ended with an exception explains nothing. */
const failed: Tried = { score: 0, deviation: 0, unexplained: [], way: 'failed', effect: 0, next: [] };

/** When two runs first differ visibly, in ms; null if never. */
function effectOf({ entries: a }: Simulation, { entries }: Simulation): number | null {
  const b = entries.filter(({ kind }) => kind !== 'fault');
  const length = Math.max(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const [left, right] = [a[index], b[index]];
    if (left === undefined || right === undefined) return ((left ?? right)?.t ?? 0) * 1000;
    if (left.kind !== right.kind || Math.abs(left.t - right.t) > 0.5 || textOf(left) !== textOf(right))
      return Math.min(left.t, right.t) * 1000;
  }
  return null;
}

const textOf = ({ t: _, ...rest }: Simulation['entries'][number]): string =>
  'status' in rest
    ? `${rest.pod} ${rest.ready} ${rest.status} ${rest.restarts}`
    : 'reason' in rest
      ? rest.reason
      : '';

/** Extra distance in ms for causes after their effect, which occur only if times are wrong. */
const AFTERWARDS = 2000;
/** A lasting fault begins at least this long before the call on which it acts, in ms. */
const BEFORE = 500;

/** Whether it affects every call within some time. */
const isLasting = ({ rules }: Perturbation): boolean =>
  rules.some(({ on, when }) => on !== 'time' && when?.during !== undefined && when.times === undefined);

/** Messages within this time, in ms, may be consequences of the first one. */
const AT_ONCE = 1000;

/** For messages: when their possible cause happened, in ms; otherwise their own time. */
function origins(same: readonly Perturbation[]): Map<Perturbation, number> {
  const found = new Map<Perturbation, number>();
  let [origin, before] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const each of [...same].sort((a, b) => a.at - b.at)) {
    if (!isOnMessage(each) || each.at - before > AT_ONCE) origin = each.at;
    found.set(each, origin);
    before = each.at;
  }
  return found;
}

const isOnMessage = ({ rules }: Perturbation): boolean => rules.some(({ on }) => on === 'message');

/** Perturbations before the run disagrees, of each kind those closest to that time; each kind comes once first. */
function nextOf({ tape }: Observed, schedule: Schedule, { deviation }: Fit, until: number): Perturbation[] {
  // Considers only those after the last one: other runs cover the other orders. Observed failures are not a choice.
  const from = Math.max(0, ...schedule.filter((each) => !isSeen(each)).map(({ at }) => at));
  const points = readPoints(tape?.entries ?? [], until, from);
  const disagreeing = Number.isFinite(deviation);
  const latest = disagreeing ? (deviation + tolerance(deviation)) * 1000 : until;
  const disagrees = disagreeing ? deviation * 1000 : until;
  const byKind = new Map<string, Perturbation[]>();
  for (const { perturbation } of candidatesOf(points) as Candidate[]) {
    if (perturbation.at > latest) continue;
    const same = byKind.get(perturbation.kind) ?? [];
    same.push(perturbation);
    byKind.set(perturbation.kind, same);
  }
  for (const same of byKind.values()) {
    const origin = origins(same);
    const distance = (each: Perturbation) => {
      const gap = disagrees - (isLasting(each) ? BEFORE : 0) - (origin.get(each) ?? each.at);
      return gap >= 0 ? gap : AFTERWARDS - gap;
    };
    same.sort((a, b) => distance(a) - distance(b) || a.at - b.at);
  }
  return Array.from({ length: MOST_OF_KIND }, (_, index) =>
    [...byKind.values()].flatMap((same) => same[index] ?? []),
  ).flat();
}
