import type { Perturbation, Schedule, UnnamedRule } from '../../../src/lab/explore/catalog/perturbation.js';
import { tolerance } from '../../../src/lab/reproduce/distance/tolerance.js';
import { logKind } from '../../../src/lab/reproduce/read/log-kinds.js';
import type { LoadedScenario } from '../../../src/lab/scenario/file/loaded-scenario.js';
import type { Simulation } from '../../../src/lab/scenario/run/run.js';

/** The effect of a fault, and its object. */
export interface Doing {
  readonly effect: string;
  /** Calls; empty for effects on the runtime, the kubelet or the node. */
  readonly methods: readonly string[];
  /** Empty for all. */
  readonly pod: string;
}

/** The effects of a scenario's faults: of its rules, and of its other steps. */
export function doingsOf({ faults, timeline }: LoadedScenario): Doing[] {
  return [
    ...faults.map(({ written }) => doingOf(written)),
    ...timeline.flatMap(({ do: { addFault, restartRuntime, kubelet } }): Doing[] => [
      ...(addFault ?? []).map(({ written }) => doingOf(written)),
      ...(restartRuntime === undefined ? [] : [toAll(`restart ${restartRuntime.state}`)]),
      ...(kubelet === undefined ? [] : [ofKubelet(kubelet)]),
    ]),
  ];
}

/** The effects of a schedule's perturbations. */
export const doingsOfSchedule = (schedule: Schedule): Doing[] =>
  schedule.flatMap(({ rules, steps }) => [
    ...rules.map(doingOf),
    ...steps.slice(0, 1).map(({ kubelet }) => ofKubelet(kubelet)),
  ]);

const ofKubelet = (action: Perturbation['steps'][number]['kubelet']): Doing =>
  toAll(typeof action === 'object' ? `kubelet upgraded to ${action.version}` : 'kubelet restarted');

const toAll = (effect: string): Doing => ({ effect, methods: [], pod: '' });

function doingOf({ match = {}, on, then }: UnnamedRule): Doing {
  const { restart, condition, clockSkew } = then;
  // A call may say when the runtime is restarted, but it is not what is affected.
  if ((restart ?? condition ?? clockSkew) !== undefined) return toAll(effectOf(then, on));
  const named = [match.method ?? []].flat();
  const methods = named.flatMap((each) => (each === '@list' ? ['ListContainers', 'ListPodSandbox'] : [each]));
  return { effect: effectOf(then, on), methods, pod: match.pod?.name ?? '' };
}

/** The effect of an action for a client: a call that hangs equals one that takes minutes. */
function effectOf(then: UnnamedRule['then'], on: UnnamedRule['on']): string {
  const { error, reply, restart, condition, clockSkew, exit } = then;
  if (error !== undefined) return `error ${error.effect ?? 'before'}`;
  if (reply !== undefined) return replyEffect(reply);
  if (restart !== undefined) return `restart ${restart.state ?? 'keep'}`;
  if (condition !== undefined) return `${condition.type}=${condition.status ?? false}`;
  if (clockSkew !== undefined) return `clock ${String(clockSkew.by).startsWith('-') ? 'back' : 'forward'}`;
  if (exit !== undefined) return `exit ${'code' in exit ? (exit.code ?? 1) : 1}`;
  if (on === 'message' && then.delay !== undefined) return 'late message';
  return then.delay !== undefined || then.hang !== undefined ? 'slow' : (Object.keys(then)[0] ?? '');
}

const RUNNING = 1;

function replyEffect(reply: object): string {
  // The client refuses an oversized reply: for it, this is an error.
  if ('pad' in reply) return 'error before';
  if (!('patch' in reply)) return `reply ${Object.keys(reply)[0]}`;
  const { status } = reply.patch as { status?: { state?: number } };
  // A container that has ended and is shown as running: an old reply.
  if (status?.state === RUNNING) return 'reply stale';
  return `reply ${JSON.stringify(reply.patch)}`;
}

const isSame = (a: Doing, b: Doing): boolean =>
  a.effect === b.effect &&
  (a.methods.length === 0 || a.methods.some((each) => b.methods.includes(each))) &&
  (a.pod === '' || b.pod === '' || a.pod === b.pod);

/** Whether two lists of faults have the same effects, in any order. */
export const doTheSame = (a: readonly Doing[], b: readonly Doing[]): boolean =>
  a.every((each) => b.some((other) => isSame(each, other))) &&
  b.every((each) => a.some((other) => isSame(each, other)));

type Timed = readonly [text: string, t: number];

/** Equal texts in the same order, each at a time within the tolerance. */
const alike = (a: readonly Timed[], b: readonly Timed[]): boolean =>
  a.length === b.length &&
  a.every(([text, t], index) => {
    const [other, at] = b[index] as Timed;
    return text === other && Math.abs(t - at) <= tolerance(Math.max(t, at));
  });

/** As `alike` in any order: nearly simultaneous items may be swapped. */
const alikeInAnyOrder = (a: readonly Timed[], b: readonly Timed[]): boolean => alike(sorted(a), sorted(b));

const sorted = (list: readonly Timed[]): Timed[] =>
  [...list].sort(([a, t], [b, at]) => (a < b ? -1 : a > b ? 1 : t - at));

/** Whether two runs show the same pods, node and events. */
export const showTheSame = (a: Simulation, b: Simulation): boolean =>
  alike(rowsOf(a), rowsOf(b)) && alike(nodesOf(a), nodesOf(b)) && alikeInAnyOrder(eventsOf(a), eventsOf(b));

/** Whether two runs don't differ on the node at all, including the runtime's objects, and the kinds of log lines. */
export const goTheSameWay = (a: Simulation, b: Simulation): boolean =>
  showTheSame(a, b) &&
  alikeInAnyOrder(containerEventsOf(a), containerEventsOf(b)) &&
  kindsOf(a) === kindsOf(b) &&
  JSON.stringify(a.left) === JSON.stringify(b.left);

/** The rows without those that the pod's next row replaces at the same instant: no client sees them. */
const rowsOf = ({ rows }: Simulation) =>
  rows
    .filter(({ pod, t }, index) => rows.slice(index + 1).find((each) => each.pod === pod)?.t !== t)
    .map(({ pod, ready, status, restarts, t }): Timed => [`${pod} ${ready} ${status} ${restarts}`, t]);
const nodesOf = ({ nodes }: Simulation) => nodes.map(({ ready, t }): Timed => [ready, t]);
const eventsOf = ({ events }: Simulation) =>
  events.map(({ pod, type, reason, t }): Timed => [`${pod} ${type} ${reason}`, t]);
const containerEventsOf = ({ containerEvents }: Simulation) =>
  containerEvents.map(
    ({ pod, container, attempt, what, exitCode, t }): Timed => [
      `${pod} ${container} ${attempt} ${what} ${exitCode ?? ''}`,
      t,
    ],
  );
const kindsOf = ({ log }: Simulation) =>
  [...new Set(log.flatMap(({ text }) => logKind(text) ?? []))].sort().join();
