import { parseDuration } from '../../base/input/duration.js';
import type { EntryOf, PodName } from '../entries.js';

// The only parser of the texts by which a kubelet program reports the facts that the thin kubelet reports as fields.

type PlegState = EntryOf<'pleg'>['state'];
type NodeProblem = NonNullable<EntryOf<'node'>['problems']>[number];
type EventFacts = Pick<EntryOf<'event'>, 'image' | 'pull' | 'probe'>;

/** Parses PLEG messages (pleg/generic.go, pleg/evented.go). */
export function plegReport(line: string): Pick<EntryOf<'pleg'>, 'state' | 'text'> | undefined {
  const found = PLEG_LINES.find(([words]) => words.test(line));
  if (found === undefined) return undefined;
  const error = /\berr="(.*)"/.exec(line)?.[1];
  return { state: found[1], ...(error !== undefined && { text: error }) };
}

const PLEG_LINES: readonly (readonly [words: RegExp, state: PlegState])[] = [
  [/Event channel is full/, 'discarded'],
  // 1.37 writes it in lower case.
  [/Evented PLEG: [Ff]ailed to get container events, retrying/, 'stream-failed'],
  [/Fall back to Generic PLEG relisting/, 'generic'],
  [/disabling container-termination fast path/, 'fast-path-off'],
  [/GenericPLEG: Unable to retrieve pods/, 'list-failed'],
];

/** Parses back-off messages (kuberuntime_manager.go, doBackOff); `delay` is in ms. */
export function backOffReport(
  line: string,
):
  | { readonly pod: PodName & { uid: string }; readonly container: string; readonly delay: number }
  | undefined {
  const [, delay, container = '', name = '', namespace = '', uid = ''] = BACK_OFF.exec(line) ?? [];
  if (delay === undefined) return undefined;
  return { pod: { name, namespace, uid }, container, delay: parseDuration(delay) ?? 0 };
}

const BACK_OFF = /back-off (\S+) restarting failed container=(\S+) pod=([^_\s]+)_([^(\s]+)\(([^)\s]+)\)/;

/** Parses the message of the node's Ready condition (kubelet runtime.go). */
export const nodeProblems = (message: string): readonly NodeProblem[] =>
  PROBLEMS.flatMap(([words, problem]) => (words.test(message) ? problem : []));

const PROBLEMS: readonly (readonly [words: RegExp, problem: NodeProblem])[] = [
  [/container runtime status check may not have completed yet/, 'runtime-unchecked'],
  [/container runtime is down/, 'runtime-down'],
  [/pleg has yet to be successful/, 'pleg-starting'],
  [/PLEG is not healthy: (?!pleg has yet)/, 'pleg-unhealthy'],
  [/RuntimeReady=false/, 'runtime-not-ready'],
  [/network not ready/, 'network-not-ready'],
  [/network state unknown/, 'network-unknown'],
];

/** Facts from an event's message that its reason lacks (images/image_manager.go, prober/prober.go). */
export function eventFacts(reason: string, message: string): EventFacts | undefined {
  for (const [of, words, facts] of EVENTS) {
    const [, named] = (of === reason && words.exec(message)) || [];
    if (named !== undefined) return facts(named);
  }
  return undefined;
}

type Facts = (named: string) => EventFacts;

const pull =
  (what: EventFacts['pull']): Facts =>
  (image) => ({ image, ...(what && { pull: what }) });
const probe: Facts = (name) => ({ probe: name.toLowerCase() as EntryOf<'probe'>['probe'] });

const EVENTS: readonly (readonly [reason: string, words: RegExp, facts: Facts])[] = [
  ['Pulling', /^Pulling image "([^"]*)"/, pull('begun')],
  ['Pulled', /^Successfully pulled image "([^"]*)"/, pull('succeeded')],
  ['Pulled', /^Container image "([^"]*)" already present/, pull('present')],
  ['Failed', /^Failed to pull image "([^"]*)"/, pull('failed')],
  ['ErrImageNeverPull', /^Container image "([^"]*)"/, pull('refused')],
  // The message of this event lacks the image.
  [
    'Failed',
    /^Error: (?:ErrImage\w*|ImagePullBackOff|InvalidImageName|ImageInspectError)()$/,
    pull(undefined),
  ],
  ['Unhealthy', /^(Liveness|Readiness|Startup) probe /, probe],
  ['Killing', /^Container .* failed (liveness|startup) probe/, probe],
];
