import type { SimulatedEvent, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';
import { type Repeated, repeated, subjectOf, trimDot } from './repeated.js';

/** Hooks and probes that failed, and what could not be created, started or stopped: a sentence for each kind of failure. */
export function explainFailures({ events }: Simulation): Explanation[] {
  const failures = events.filter((event) => event.type === 'Warning' && sentenceFor(event) !== undefined);
  const groups = repeated(failures, (event) => `${subjectOf(event)} ${event.reason} ${kindOf(event)}`);
  return groups.flatMap((group) => {
    const text = sentenceFor(group.first)?.(group, events);
    return text === undefined ? [] : { t: group.first.t, text };
  });
}

type Sentence = (failure: Repeated<SimulatedEvent>, events: readonly SimulatedEvent[]) => string;

const SENTENCES: Readonly<Record<string, Sentence>> = {
  Unhealthy: ({ first, times }, events) => {
    const what = first.message.replace(/^[^:]*(: |$)/, '');
    return `The ${first.probe ?? ''} probe of ${subjectOf(first)} failed${times}${quoted(what)}.${consequenceOf(first, events)}`;
  },
  FailedPostStartHook: ({ first, times }) =>
    `The postStart hook of ${subjectOf(first)} failed${times}${quoted(detailsOf(first))}. The kubelet stops the container after such a failure.`,
  FailedPreStopHook: ({ first, times }) =>
    `The preStop hook of ${subjectOf(first)} failed${times}${quoted(detailsOf(first))}. The kubelet stops the container anyway.`,
  FailedCreatePodSandBox: ({ first, times }) =>
    `The kubelet could not create the sandbox of ${first.pod}${times}: ${ended(detailsOf(first))}`,
  FailedKillPod: ({ first, times }) =>
    `The kubelet could not stop pod ${first.pod}${times}: ${ended(detailsOf(first))}`,
  Failed: ({ first, times }) =>
    `The kubelet could not create or start ${subjectOf(first)}${times}: ${ended(detailsOf(first))}`,
};

/** Undefined for events about images, which `explainPulls` describes. */
const sentenceFor = ({ reason, image }: SimulatedEvent): Sentence | undefined =>
  image === undefined ? SENTENCES[reason] : undefined;

/** What the kubelet does when a probe reaches its failure threshold. */
function consequenceOf({ pod, field, probe }: SimulatedEvent, events: readonly SimulatedEvent[]): string {
  const killed = events.filter(
    (event) =>
      event.reason === 'Killing' && event.pod === pod && event.field === field && event.probe === probe,
  );
  if (killed.length === 0) return '';
  return ` The kubelet stopped the container${killed.length === 1 ? '' : ` ${killed.length} times`} because of it.`;
}

/** The part of a message that tells kinds of failures apart: of a probe its kind. */
const kindOf = ({ probe, message }: SimulatedEvent): string =>
  probe ?? message.replace(/[0-9a-f]{12,}|\d+/g, '#');

/** A message without the words that its reason says already. */
const detailsOf = ({ message }: SimulatedEvent): string =>
  message.replace(/^(Error: |error killing pod: |Failed to create pod sandbox: |P\w+Hook failed$)/, '');

/** A text as the end of a sentence. */
const ended = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

const quoted = (text: string): string => (text.trim() === '' ? '' : ` ("${trimDot(text)}")`);
