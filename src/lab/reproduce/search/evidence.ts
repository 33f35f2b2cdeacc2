import { formatDuration } from '../../../base/input/duration.js';
import type { FaultInput } from '../../../runtime/faults/language/rule-schema.js';
import { madeSlowly } from '../../explore/catalog/delays.js';
import {
  type Perturbation,
  type Schedule,
  scheduled,
  type UnnamedRule,
} from '../../explore/catalog/perturbation.js';
import { isOfKubelet } from '../distance/events.js';
import { statesByPod } from '../distance/seen-states.js';
import type { SeenState } from '../distance/timeline.js';
import { least } from '../extremes.js';
import type { Observation, PlacedEvent } from '../observation.js';

/** The family of perturbations that were seen themselves. */
const SEEN = 'seen';

/** Whether it is a failure that was seen. */
export const isSeen = ({ family }: Pick<Perturbation, 'family'>): boolean => family === SEEN;

/** Events from which the failed call follows, with its error. */
const TELLING: readonly { readonly method: string; readonly reason: string; readonly message: RegExp }[] = [
  { method: 'RunPodSandbox', reason: 'FailedCreatePodSandBox', message: /./ },
  { method: 'PullImage', reason: 'Failed', message: /^Failed to pull image/ },
  { method: 'CreateContainer', reason: 'Failed', message: /^Error: .*/ },
  { method: 'StartContainer', reason: 'Failed', message: /^Error: .*/ },
];

/** Errors that say nothing of a call. */
const SAYS_NOTHING = /ImagePullBackOff|ErrImagePull|CrashLoopBackOff/;
/** The kubelet has given up: whether the call was slow, or its reply was lost, it does not know. */
const GIVEN_UP = /context deadline exceeded$/;
const PULLED = /^Failed to pull image "([^"*?]+)"/;
const CODE = /code = (\w+) desc = (.*)$/s;
/** What of a pod could not be stopped: one event has the errors of its containers and of its sandbox (killPodWithSyncResult). */
const NOT_KILLED = /with (KillContainer|KillPodSandbox)Error: "((?:[^"\\]|\\.)*)"/g;

/** Statuses of rows from which the failed call follows, without its error. */
const SHOWING: readonly { readonly method: string; readonly status: RegExp }[] = [
  { method: 'PullImage', status: /^(?:Init:)?(?:ErrImagePull|ImagePullBackOff)$/ },
  { method: 'CreateContainer', status: /^(?:Init:)?CreateContainerError$/ },
  { method: 'StartContainer', status: /^(?:Init:)?(?:RunContainerError|StartError)$/ },
];

/** A call that was seen to fail, at times in seconds. */
interface SeenFailure {
  readonly method: string;
  readonly pod: string;
  readonly error: SeenError;
  /** Of a pull: other images of the pod may do. */
  readonly image?: string | undefined;
  readonly first: number;
  readonly last: number;
  /** When it began to fail, where that is not when the first event of it came. */
  readonly since?: number;
  /** How often. */
  readonly count: number;
  /** Calls that one event says of, one after the other. */
  readonly calls: number;
}

type Code = NonNullable<Extract<FaultInput['then'], { error?: unknown }>['error']>['code'];

interface SeenError {
  readonly code: Code;
  readonly message: string;
}

/**
 * What a runtime answers because of what it has: a name that is in use, an object that is gone or in another state. Such an
 * error is what another fault has led to, and so is one of a call that took too long. An image that is not found is missing in
 * its registry.
 */
const isConsequence = ({ method, error }: SeenFailure): boolean =>
  (GIVEN_UP.test(error.message) && !method.startsWith('Stop')) ||
  (method !== 'PullImage' && (OF_STATE.has(error.code) || IN_USE.test(error.message)));

/** Events of containers have no code. */
const IN_USE = /\bis (?:reserved|(?:already )?in use)\b|\balready exists\b/;
const OF_STATE = new Set<Code>(['ALREADY_EXISTS', 'NOT_FOUND', 'FAILED_PRECONDITION']);

/**
 * Failures that were seen, as perturbations: for as long as they were seen, and as often. Events have the error, too. Failures
 * that another one must have led to are none.
 */
export function evidenceOf(seen: Observation): Perturbation[] {
  const told = joined(seen.events.filter(isOfKubelet).flatMap(failuresOfEvent)).map((each) =>
    fromDeletion(each, seen),
  );
  const shown = [...statesByPod(seen)].flatMap(([pod, states]) => failuresOfRows(pod, states));
  const isTold = ({ method, pod }: SeenFailure) =>
    told.some((each) => each.method === method && (each.pod === pod || each.pod === ''));
  const all = [...told, ...shown.filter((each) => !isTold(each))];
  return [...all.filter((each) => !isConsequence(each)).flatMap(errorsOf), ...slowCreates(told, seen)];
}

/** How long the kubelet waits for what makes something, in seconds: runtimeRequestTimeout's default, and twice that. */
const TIMEOUTS: Readonly<Record<string, number>> = { CreateContainer: 120, RunPodSandbox: 240 };
/** What holds a name while it is made. */
const HELD = /\breserve|\breserved\b/;

/** A name that is reserved is held by a call that the kubelet has given up, and that continues in the runtime. */
function slowCreates(told: readonly SeenFailure[], seen: Observation): Perturbation[] {
  return told.flatMap((held) => {
    const { method, pod } = held;
    const timeout = TIMEOUTS[method];
    if (timeout === undefined || held.last < timeout || !HELD.test(held.error.message)) return [];
    const same = told.filter((each) => each.method === method && each.pod === pod);
    const first = least(same.filter(isConsequence).map((each) => each.first));
    const from = Math.max(0, Math.floor(first) - timeout - RETRY);
    const takes = (heldUntil(held, seen) - from) * 1000;
    const { name, says, rule } = madeSlowly(takes);
    return [
      perturbationOf(pod, from * 1000, from * 1000 + takes, {
        kind: `${name} ${method}`,
        text: `${method} of ${nameOf(pod)} ${says}`,
        rule: { match: matchOf(held), when: { ...since(from * 1000), times: 1 }, ...rule },
      }),
    ];
  });
}

/** When the name was free, in seconds: after the last error and before what came next, or some time after all that was seen. */
function heldUntil({ pod, last }: SeenFailure, { rows, events, end }: Observation): number {
  const later = [
    ...events.filter((each) => each.pod === pod).map(({ first }) => first?.from ?? 0),
    ...rows
      .filter((each) => each.pod === pod && each.status === 'Running')
      .map(({ time }) => time?.from ?? 0),
  ].filter((time) => time > last);
  return later.length === 0 ? Math.ceil(end) + 60 : Math.ceil((last + least(later)) / 2);
}

/** A call that stops a pod fails from the pod's deletion on: its event comes when it has failed. */
function fromDeletion(failure: SeenFailure, { deleted }: Observation): SeenFailure {
  const at = deleted.find(({ pod }) => pod === failure.pod)?.time?.from;
  if (at === undefined || !failure.method.startsWith('Stop')) return failure;
  return { ...failure, since: Math.max(0, Math.min(failure.first, at - 1)) };
}

/** The same failure again and again is one, whether events come alone or are summed up. */
function joined(failures: readonly SeenFailure[]): SeenFailure[] {
  const byKey = new Map<string, SeenFailure>();
  for (const each of failures) {
    const key = JSON.stringify([each.method, each.pod, each.image, each.error]);
    const { first, last, count } = byKey.get(key) ?? { ...each, count: 0 };
    byKey.set(key, {
      ...each,
      first: Math.min(first, each.first),
      last: Math.max(last, each.last),
      count: count + each.count,
    });
  }
  return [...byKey.values()];
}

function failuresOfEvent({ pod, reason, message, first, time, count }: PlacedEvent): SeenFailure[] {
  if (SAYS_NOTHING.test(message)) return [];
  const begun = Math.max(0, (first?.from ?? 0) - 1);
  const last = Math.max(time?.to ?? 0, first?.to ?? 0);
  const image = PULLED.exec(message)?.[1];
  const failed = (method: string, text: string, calls = 1): SeenFailure => ({
    ...{ method, pod, error: errorOf(text), image, first: begun, last, count, calls },
  });
  if (reason === 'FailedKillPod') {
    const errors = [...message.matchAll(NOT_KILLED)];
    return errors.map(([, what, text = '']) =>
      failed(what === 'KillContainer' ? 'StopContainer' : 'StopPodSandbox', text, errors.length),
    );
  }
  return TELLING.filter((each) => each.reason === reason && each.message.test(message)).map(({ method }) =>
    failed(method, message),
  );
}

function errorOf(text: string): SeenError {
  const [, code = 'Unknown', message = text.replace(/^[^:]*: /, '')] = CODE.exec(text) ?? [];
  return { code: codeName(code) as Code, message: unquoted(message) };
}

/** What a pod waits for before its containers run: the call that fails is part of this. */
const BEFORE = /^(?:Pending|ContainerCreating|PodInitializing|Init:\d+\/\d+)$/;

function failuresOfRows(pod: string, states: readonly SeenState[]): SeenFailure[] {
  return SHOWING.flatMap(({ method, status }) => {
    const at = states.flatMap((state, index) => (status.test(state.status) ? [index] : []));
    const [first] = at;
    if (first === undefined) return [];
    const [before, lastState] = [states[first - 1], states[at.at(-1) ?? first]];
    const begun = before === undefined || BEFORE.test(before.status) ? before?.first : before.last;
    const last = lastState?.last?.to ?? 0;
    const error: SeenError = { code: 'UNKNOWN', message: 'failed' };
    return [{ method, pod, error, first: begun?.from ?? 0, last, count: at.length, calls: 1 }];
  });
}

/** The kubelet tries again after as many seconds, or at once when a call has taken longer (backOffPeriod). */
const RETRY = 15;

/** How long each call takes that fails because the kubelet has waited for long enough, in seconds. */
function tookOf({ error, first, last, count, calls }: SeenFailure): number {
  if (!GIVEN_UP.test(error.message) || count < 2) return 0;
  const each = (last - first) / (count - 1);
  return each <= RETRY ? 0 : Math.round(each / calls);
}

/** All failures together, in each form: what the errors of one event are. */
export function evidenceTogether(evidence: readonly Perturbation[]): Schedule[] {
  const byForm = new Map<string, Perturbation[]>();
  for (const each of evidence) {
    const form = each.kind.replace(/ \w+$/, '').replace(/\d+/, 'N');
    byForm.set(form, [...(byForm.get(form) ?? []), each]);
  }
  return [...byForm.values()].filter((all) => all.length > 1).map(scheduled);
}

const nameOf = (pod: string): string => pod.slice(pod.indexOf('/') + 1);

const matchOf = ({ method, pod, image }: SeenFailure) => ({
  method,
  ...(pod !== '' && { pod: { name: nameOf(pod) } }),
  ...(image !== undefined && { request: { image: { image } } }),
});

/** From a time in ms on, for as long as `more` says. */
const since = (from: number, more: object = {}) =>
  from > 0 || Object.keys(more).length > 0
    ? { during: { ...(from > 0 && { from: formatDuration(from) }), ...more } }
    : {};

/** What was seen, from one time in ms to another. */
const perturbationOf = (
  pod: string,
  at: number,
  until: number,
  { kind, text, rule }: { readonly kind: string; readonly text: string; readonly rule: UnnamedRule },
): Perturbation => ({
  id: `${kind} ${JSON.stringify(rule)}`,
  kind,
  family: SEEN,
  text,
  pod: nameOf(pod),
  at,
  until,
  rules: [rule],
  steps: [],
});

function errorsOf(failure: SeenFailure): Perturbation[] {
  const { method, pod, error, last, count, since: begun = failure.first } = failure;
  const took = tookOf(failure);
  const from = Math.floor(begun) * 1000;
  const lasting = Math.max(1000, Math.ceil(last * 1000 + 500 - from));
  const make = (kind: string, when: UnnamedRule['when'], until: number): Perturbation =>
    perturbationOf(pod, from, until, {
      kind,
      text: `${kind}${took > 0 ? `, after ${took}s` : ''}: ${error.message}`,
      rule: { match: matchOf(failure), when, then: { ...(took > 0 && { delay: `${took}s` }), error } },
    });
  return [
    make(`error before for a time ${method}`, since(from, { for: formatDuration(lasting) }), from + lasting),
    make(`error before from then on ${method}`, since(from), from),
    make(`error before ${count} times ${method}`, { ...since(from), times: count }, from),
  ];
}

/** `NotFound` is NOT_FOUND. */
const codeName = (code: string): string => {
  const name = code.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
  return KNOWN_CODES.has(name) ? name : 'UNKNOWN';
};

const KNOWN_CODES = new Set([
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
]);

/** The longest text of an error that is repeated. */
const LONGEST = 400;

const unquoted = (text: string): string =>
  text
    .replace(/\\"/g, '"')
    .replace(/["\s]+$/, '')
    .slice(0, LONGEST) || 'failed';
