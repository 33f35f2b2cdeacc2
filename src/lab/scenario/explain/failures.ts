import type { SimulatedEvent, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';
import { type Repeated, repeated, subjectOf, trimDot } from './repeated.js';

/** Failed hooks and probes, and failures to create, start or stop something: a sentence for each kind. */
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

/** Undefined for image events, which `explainPulls` describes. */
const sentenceFor = ({ reason, image }: SimulatedEvent): Sentence | undefined =>
  image === undefined ? SENTENCES[reason] : undefined;

function consequenceOf({ pod, field, probe }: SimulatedEvent, events: readonly SimulatedEvent[]): string {
  const killed = events.filter(
    (event) =>
      event.reason === 'Killing' && event.pod === pod && event.field === field && event.probe === probe,
  );
  if (killed.length === 0) return '';
  return ` The kubelet stopped the container${killed.length === 1 ? '' : ` ${killed.length} times`} because of it.`;
}

/** The distinguishing part of a message; for a probe its kind. */
const kindOf = ({ probe, message }: SimulatedEvent): string =>
  probe ?? message.replace(/[0-9a-f]{12,}|\d+/g, '#');

const detailsOf = ({ message }: SimulatedEvent): string =>
  message.replace(/^(Error: |error killing pod: |Failed to create pod sandbox: |P\w+Hook failed$)/, '');

const ended = (text: string): string => (/[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`);

const quoted = (text: string): string => (text.trim() === '' ? '' : ` ("${trimDot(text)}")`);
