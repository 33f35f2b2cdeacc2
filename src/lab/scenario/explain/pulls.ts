import { clockText } from '../output/clock-text.js';
import type { SimulatedEvent, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';
import { groupedBy, repeated, subjectOf, trimDot } from './repeated.js';

export function explainPulls({ events }: Simulation): Explanation[] {
  const pulls = events.filter(({ pull }) => pull !== undefined && pull !== 'present');
  const keyOf = (event: SimulatedEvent) => `${subjectOf(event)} ${event.image}`;
  return [...groupedBy(pulls, keyOf).values()].flatMap(ofImage);
}

function ofImage(events: readonly SimulatedEvent[]): Explanation[] {
  const began = events.filter(({ pull }) => pull === 'begun');
  const failed = events.filter(({ pull }) => pull === 'failed');
  const pulled = events.filter(({ pull }) => pull === 'succeeded');
  const never = events.filter(({ pull }) => pull === 'refused');
  const findings: Explanation[] = [];
  for (const { first, count, times } of repeated(failed, ({ message }) => message)) {
    const error = trimDot(first.message.replace(/^Failed to pull image "[^"]*": /, ''));
    const wait =
      count > 1
        ? ' The kubelet waits 10.0s after the first failure, and twice as long after each further one, up to 5m0.0s.'
        : '';
    findings.push({ t: first.t, text: `The pull of ${whatOf(first)} failed${times}: ${error}.${wait}` });
  }
  for (const event of pulled) {
    const begun = began.findLast(({ t }) => t <= event.t);
    const took = begun === undefined ? '' : ` in ${clockText(event.t - begun.t)}`;
    findings.push({ t: event.t, text: `The kubelet pulled ${whatOf(event)}${took}.` });
  }
  for (const { first, times } of repeated(never, ({ message }) => message))
    findings.push({
      t: first.t,
      text: `The kubelet did not find ${whatOf(first)}, and the pull policy is Never${times}.`,
    });
  const last = began.at(-1);
  if (last !== undefined && ![...failed, ...pulled].some(({ t }) => t >= last.t))
    findings.push({
      t: last.t,
      text: `The pull of ${whatOf(last)} began, and had not finished when the run ended.`,
    });
  return findings;
}

const whatOf = (event: SimulatedEvent): string => `image "${event.image}" for ${subjectOf(event)}`;
