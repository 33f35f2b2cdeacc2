import { formatDuration } from '../../../base/input/duration.js';
import { type FailureName, failureInGo } from '../../../cri/status-code.js';
import {
  type Perturbation,
  type Schedule,
  scheduled,
  type UnnamedRule,
} from '../../explore/catalog/perturbation.js';
import { isOfKubelet } from '../distance/events.js';
import { statesByPod } from '../distance/seen-states.js';
import type { SeenState } from '../distance/timeline.js';
import type { Observation, PlacedEvent } from '../observation.js';
import { matchOf, perturbationOf, RETRY, type SeenError, type SeenFailure, since } from './seen-failure.js';
import { lostReplies, slowCreates, slowPulls } from './slow-calls.js';
import { upgrades } from './upgrades.js';

/** Events that imply a failed call, with its error. */
const TELLING: readonly { readonly method: string; readonly reason: string; readonly message: RegExp }[] = [
  { method: 'RunPodSandbox', reason: 'FailedCreatePodSandBox', message: /./ },
  { method: 'PullImage', reason: 'Failed', message: /^Failed to pull image/ },
  { method: 'CreateContainer', reason: 'Failed', message: /^Error: .*/ },
  { method: 'StartContainer', reason: 'Failed', message: /^Error: .*/ },
];

/** Errors that say nothing about a call. */
const SAYS_NOTHING =
  /ImagePullBackOff|ErrImagePull|ErrImageNeverPull|ImageInspectError|InvalidImageName|CrashLoopBackOff/;
/** The kubelet gave up and cannot know whether the call was slow or its reply was lost. */
const GIVEN_UP = /context deadline exceeded$/;
const PULLED = /^Failed to pull image "([^"*?]+)"/;
const CODE = /code = (\w+) desc = (.*)$/s;
/** One event has the errors of a pod's containers and of its sandbox (killPodWithSyncResult). */
const NOT_KILLED = /with (KillContainer|KillPodSandbox)Error: "((?:[^"\\]|\\.)*)"/g;

/** Row statuses that imply a failed call, without its error. */
const SHOWING: readonly { readonly method: string; readonly status: RegExp }[] = [
  { method: 'PullImage', status: /^(?:Init:)?(?:ErrImagePull|ImagePullBackOff)$/ },
  { method: 'CreateContainer', status: /^(?:Init:)?CreateContainerError$/ },
  { method: 'StartContainer', status: /^(?:Init:)?(?:RunContainerError|StartError)$/ },
];

/** In seconds: a pod that shows Terminating for longer after its deletion was not stopped. */
const LONG_DELETED = 300;

/** Its containers run on only if stopping the sandbox fails too (killPodWithSyncResult). */
function failuresToStop(pod: string, states: readonly SeenState[], { deleted }: Observation): SeenFailure[] {
  const since = deleted.find((each) => each.pod === pod)?.time?.from;
  const { status, ready, last } = states.at(-1) ?? {};
  if (since === undefined || status !== 'Terminating' || (last?.from ?? 0) - since < LONG_DELETED) return [];
  const methods = ready?.startsWith('0/') ? ['StopPodSandbox'] : ['StopContainer', 'StopPodSandbox'];
  const error: SeenError = { code: 'UNKNOWN', message: 'failed' };
  const first = Math.max(0, since - 1);
  return methods.map((method) => ({
    method,
    pod,
    error,
    first,
    last: last?.to ?? since,
    count: 1,
    calls: 1,
  }));
}

/**
 * Errors that reflect the runtime's state: a name in use, an object that is gone or in another state, a runtime that is
 * down. Another fault, or a slow call, caused them. An image that is not found is missing in its registry.
 */
const isConsequence = ({ method, error }: SeenFailure): boolean =>
  (GIVEN_UP.test(error.message) && !method.startsWith('Stop')) ||
  UNREACHABLE.test(error.message) ||
  (method !== 'PullImage' &&
    (OF_STATE.has(error.code) || IN_USE.test(error.message) || GONE.test(error.message)));

/** gRPC's own errors, about the kubelet's connection to the runtime. */
export const UNREACHABLE =
  /^(?:error reading from server|connection error: desc = "transport|transport is closing)/;
/** Events of containers have no code. */
const IN_USE = /\bis (?:reserved|(?:already )?in use)\b|\balready exists\b/;
const GONE =
  /\b(?:sandbox|container)(?: id)? "[0-9a-f]+":? not found$|ID does not exist$|^No such container: /;
const OF_STATE = new Set<FailureName>(['ALREADY_EXISTS', 'NOT_FOUND', 'FAILED_PRECONDITION']);

/** Observed failures with duration, number and error, except those that must be consequences of others. */
export function evidenceOf(seen: Observation): Perturbation[] {
  const told = joined(seen.events.filter(isOfKubelet).flatMap(failuresOfEvent)).map((each) =>
    fromDeletion(each, seen),
  );
  const shown = [...statesByPod(seen)].flatMap(([pod, states]) => [
    ...failuresOfRows(pod, states),
    ...failuresToStop(pod, states, seen),
  ]);
  const isTold = ({ method, pod }: SeenFailure) =>
    told.some((each) => each.method === method && (each.pod === pod || each.pod === ''));
  const all = [...told, ...shown.filter((each) => !isTold(each))];
  const errors = all.filter((each) => !isConsequence(each)).flatMap(errorsOf);
  return [
    ...errors,
    ...lostReplies(told, seen),
    ...slowCreates(told.filter(isConsequence), seen),
    ...slowPulls(seen),
    ...upgrades(seen),
  ];
}

function fromDeletion(failure: SeenFailure, { deleted }: Observation): SeenFailure {
  const at = deleted.find(({ pod }) => pod === failure.pod)?.time?.from;
  if (at === undefined || !failure.method.startsWith('Stop')) return failure;
  return { ...failure, since: Math.max(0, Math.min(failure.first, at - 1)) };
}

/** More distinct failures than this cannot be failures of single calls. */
const MOST_FAILURES = 20;

/** Merges repeated failures, whether events come separately or aggregated, and takes the most frequent. */
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
  return [...byKey.values()].sort((a, b) => b.count - a.count).slice(0, MOST_FAILURES);
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
  return { code: failureInGo(code), message: unquoted(message) };
}

/** Statuses of a pod whose containers have not run: the failing call is part of the startup. */
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

/** Duration in seconds of a call that fails because the kubelet stopped waiting. */
function tookOf({ error, first, last, count, calls }: SeenFailure): number {
  if (!GIVEN_UP.test(error.message) || count < 2) return 0;
  const each = (last - first) / (count - 1);
  return each <= RETRY ? 0 : Math.round(each / calls);
}

export function evidenceTogether(evidence: readonly Perturbation[]): Schedule[] {
  const byForm = new Map<string, Perturbation[]>();
  for (const each of evidence) {
    const form = each.kind.replace(/ \w+$/, '').replace(/\d+/, 'N');
    byForm.set(form, [...(byForm.get(form) ?? []), each]);
  }
  return [...byForm.values()].filter((all) => all.length > 1).map(scheduled);
}

function errorsOf(failure: SeenFailure): Perturbation[] {
  const { method, pod, error, last, count, since: begun = failure.first } = failure;
  const took = tookOf(failure);
  const from = Math.floor(begun) * 1000;
  const lasting = Math.max(1000, Math.ceil(last * 1000 + 500 - from));
  const make = (kind: string, when: UnnamedRule['when'], until: number): Perturbation =>
    perturbationOf(pod, from, until, {
      kind,
      text: `${kind}${took > 0 ? `, after ${took}s` : ''}: ${error.message}`,
      rules: [{ match: matchOf(failure), when, then: { ...(took > 0 && { delay: `${took}s` }), error } }],
    });
  return [
    make(`error before for a time ${method}`, since(from, { for: formatDuration(lasting) }), from + lasting),
    make(`error before from then on ${method}`, since(from), from),
    make(`error before ${count} times ${method}`, { ...since(from), times: count }, from),
  ];
}

const LONGEST = 400;

const unquoted = (text: string): string =>
  text
    .replace(/\\"/g, '"')
    .replace(/["\s]+$/, '')
    .slice(0, LONGEST) || 'failed';
