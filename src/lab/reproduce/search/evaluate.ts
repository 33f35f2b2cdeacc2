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

/** What a node has of which there are several. */
export interface NodeChoice {
  /** Of the kubelet. */
  readonly version: string;
  readonly runtime: RuntimeProfileName;
}

/** A run to try. */
export interface PlannedRun extends NodeChoice {
  /** Index of what the containers do. */
  readonly base: number;
  readonly schedule: Schedule;
  /** Whether to say where the run can be perturbed next. */
  readonly extend: boolean;
}

/** What a run has come to: JSON. */
export interface Tried {
  readonly score: number;
  /** When run and observation first disagree, in seconds; null when they do not. */
  readonly deviation: number | null;
  readonly unexplained: readonly string[];
  /** Equal for runs that go the same way. */
  readonly way: string;
  /** When the run first differs from the one without perturbations, in ms; null when it does not. */
  readonly effect: number | null;
  /** What can go wrong next; null when the run was not asked. */
  readonly next: readonly Perturbation[] | null;
}

/** What is searched: what the containers may do, and what was seen. */
export interface SearchInput {
  readonly bases: readonly LoadedScenario[];
  readonly seen: Observation;
}

/** Executes a planned run, and compares it with what was seen. */
export type Evaluate = (planned: PlannedRun) => Promise<Tried>;

/** How many perturbations of one kind a run is extended with. */
const MOST_OF_KIND = 6;

/** The scenario of a planned run, with the observation's length. */
export const scenarioOf = (
  { bases }: SearchInput,
  { base, version, runtime, schedule }: PlannedRun,
): LoadedScenario => {
  const scenario = withVersion(bases[base] as LoadedScenario, version);
  return { ...perturbed(scenario, schedule), runtime, until: scenario.until };
};

/** Keeps the runs without perturbations, with which others are compared. */
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
    // The tape shows where a run can be perturbed, and takes half of its time.
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

/** The way of a run without times: what pods and node show, which events come, what the runtime has. Equal for runs that go the same way. */
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

/** A run that ends with an exception explains nothing. */
const failed: Tried = { score: 0, deviation: 0, unexplained: [], way: 'failed', effect: 0, next: [] };

/** When two runs first differ in what people see, in ms; null if they do not. */
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

/** A cause comes before what it leads to, unless times are wrong: as if it were so much farther away, in ms. */
const AFTERWARDS = 2000;
/** What lasts begins before the call in which it takes effect: at least so much, in ms. */
const BEFORE = 500;

/** Whether it happens to each call of some time. */
const isLasting = ({ rules }: Perturbation): boolean =>
  rules.some(({ on, when }) => on !== 'time' && when?.during !== undefined && when.times === undefined);

/** Messages that follow each other so closely may be consequences of the first one, in ms. */
const AT_ONCE = 1000;

/** When what each message may be a consequence of happened, in ms; for anything else, when it happens itself. */
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

/** What can go wrong before the run disagrees: of each kind those nearest to that time, one of each kind first. */
function nextOf({ tape }: Observed, schedule: Schedule, { deviation }: Fit, until: number): Perturbation[] {
  // Those after the last one: the other orders are other runs' next. What was seen to fail is no such choice.
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
