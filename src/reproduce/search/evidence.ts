import type { Perturbation } from '../../explore/catalog/perturbation.js';
import type { FaultInput } from '../../faults/language/rule-schema.js';
import { formatDuration } from '../../input/duration.js';
import type { Observation, PlacedEvent } from '../observation.js';

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
const SAYS_NOTHING = /ImagePullBackOff|ErrImagePull|CrashLoopBackOff|context deadline exceeded$/;
const CODE = /code = (\w+) desc = (.*)$/s;

/** Errors that were seen, as perturbations: with their code and text, for as long as they were seen, and once. */
export function evidenceOf({ events, end }: Observation): Perturbation[] {
  return events.flatMap((event) =>
    TELLING.filter(({ reason, message }) => event.reason === reason && message.test(event.message)).flatMap(
      ({ method }) => (SAYS_NOTHING.test(event.message) ? [] : errorsOf(method, event, end)),
    ),
  );
}

type Code = NonNullable<Extract<FaultInput['then'], { error?: unknown }>['error']>['code'];

function errorsOf(
  method: string,
  { pod, message, first, time, count }: PlacedEvent,
  end: number,
): Perturbation[] {
  const [, code = 'Unknown', text = message.replace(/^[^:]*: /, '')] = CODE.exec(message) ?? [];
  const error = { code: codeName(code) as Code, message: unquoted(text) };
  const name = pod.slice(pod.indexOf('/') + 1);
  const match = { method, ...(name !== '' && { pod: { name } }) };
  const from = Math.max(0, Math.floor((first?.from ?? 0) - 1)) * 1000;
  const last = Math.max(time?.to ?? 0, first?.to ?? 0);
  const lasting = Math.max(1000, Math.ceil(last * 1000 + 500 - from));
  const isOpen = last >= end - 20;
  const make = (kind: string, when: object, until: number): Perturbation => ({
    id: `${kind} ${JSON.stringify([match, when, error])}`,
    kind,
    family: 'error',
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
    ...(isOpen ? [make(`error before from then on ${method}`, always, from)] : []),
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
