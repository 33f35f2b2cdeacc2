import type { Perturbation } from '../../explore/catalog/perturbation.js';
import type { FaultInput } from '../../faults/language/rule-schema.js';
import { formatDuration } from '../../input/duration.js';
import { statesByPod } from '../distance/seen-states.js';
import type { SeenState } from '../distance/timeline.js';
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
  { method: 'StopPodSandbox', reason: 'FailedKillPod', message: /KillPodSandboxError/ },
  { method: 'StopContainer', reason: 'FailedKillPod', message: /KillContainerError/ },
];

/** Errors that say nothing of a call. */
const SAYS_NOTHING = /ImagePullBackOff|ErrImagePull|CrashLoopBackOff/;
/** The kubelet has given up: whether the call was slow, or its reply was lost, it does not know. */
const GIVEN_UP = /context deadline exceeded$/;
const PULLED = /^Failed to pull image "([^"*?]+)"/;
const CODE = /code = (\w+) desc = (.*)$/s;

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
  /** How often. */
  readonly count: number;
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
  GIVEN_UP.test(error.message) ||
  (method !== 'PullImage' && (OF_STATE.has(error.code) || IN_USE.test(error.message)));

/** Events of containers have no code. */
const IN_USE = /\bis (?:reserved for|(?:already )?in use)\b|\balready exists\b/;
const OF_STATE = new Set<Code>(['ALREADY_EXISTS', 'NOT_FOUND', 'FAILED_PRECONDITION']);

/**
 * Failures that were seen, as perturbations: for as long as they were seen, and as often. Events have the error, too. Failures
 * that another one must have led to are none.
 */
export function evidenceOf(seen: Observation): Perturbation[] {
  const told = joined(seen.events.flatMap(failuresOfEvent));
  const shown = [...statesByPod(seen)].flatMap(([pod, states]) => failuresOfRows(pod, states));
  const isTold = ({ method, pod }: SeenFailure) =>
    told.some((each) => each.method === method && (each.pod === pod || each.pod === ''));
  const all = [...told, ...shown.filter((each) => !isTold(each))];
  return all.filter((each) => !isConsequence(each)).flatMap(errorsOf);
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
  const [, code = 'Unknown', text = message.replace(/^[^:]*: /, '')] = CODE.exec(message) ?? [];
  const error: SeenError = { code: codeName(code) as Code, message: unquoted(text) };
  const begun = Math.max(0, (first?.from ?? 0) - 1);
  const last = Math.max(time?.to ?? 0, first?.to ?? 0);
  const image = PULLED.exec(message)?.[1];
  return TELLING.filter((each) => each.reason === reason && each.message.test(message)).map(({ method }) => ({
    ...{ method, pod, error, image, first: begun, last, count },
  }));
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
    return [{ method, pod, error, first: begun?.from ?? 0, last, count: at.length }];
  });
}

function errorsOf({ method, pod, error, image, first, last, count }: SeenFailure): Perturbation[] {
  const name = pod.slice(pod.indexOf('/') + 1);
  const match = {
    method,
    ...(name !== '' && { pod: { name } }),
    ...(image !== undefined && { request: { image: { image } } }),
  };
  const from = Math.floor(first) * 1000;
  const lasting = Math.max(1000, Math.ceil(last * 1000 + 500 - from));
  const make = (kind: string, when: object, until: number): Perturbation => ({
    id: `${kind} ${JSON.stringify([match, when, error])}`,
    kind,
    family: SEEN,
    text: `${kind}: ${error.message}`,
    pod: name,
    at: from,
    until,
    rules: [{ match, when, then: { error } }],
    steps: [],
  });
  const during = (more: object) => ({ during: { ...(from > 0 && { from: formatDuration(from) }), ...more } });
  const always = from > 0 ? during({}) : {};
  return [
    make(`error before for a time ${method}`, during({ for: formatDuration(lasting) }), from + lasting),
    make(`error before from then on ${method}`, always, from),
    make(`error before ${count} times ${method}`, { ...(from > 0 && during({})), times: count }, from),
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
