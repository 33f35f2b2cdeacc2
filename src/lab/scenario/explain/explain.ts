import { groupBy } from '../../../base/input/group-by.js';
import { clockText } from '../output/clock-text.js';
import { exitText } from '../run/exit-text.js';
import type { SimulatedEvent, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';
import { explainFailures } from './failures.js';
import { explainAppliedFaults } from './faults.js';
import { explainNode } from './node.js';
import { explainPleg } from './pleg.js';
import { explainReadiness } from './readiness.js';
import { repeated, subjectOf, trimDot } from './repeated.js';
import { explainRestarts } from './restarts.js';
import { explainTerminations } from './terminations.js';

const whatOf = (event: SimulatedEvent): string => `image "${event.image}" for ${subjectOf(event)}`;

const MOST_QUOTED = 3;

const explainKubelet = ({ kubelets }: Simulation): Explanation[] =>
  kubelets
    .filter(({ what }) => what === 'exited')
    .map((exit) => ({
      t: exit.t,
      text: `${sentence(exitText(exit))}. Until it runs again, nothing manages its pods. Running containers keep running.`,
    }));

const sentence = (text: string): string => text[0]?.toUpperCase() + text.slice(1);

/** Explains a run's result in plain words, in order of time. */
export function explain(run: Simulation): string[] {
  const lines = explanationsOf(run).map(({ t, text }) => `${clockText(t).padStart(10)}  ${text}`);
  if (lines.length > usual(run).length) return lines;
  return [...lines, 'Nothing restarted, the PLEG worked normally, and the node stayed ready.'];
}

const usual = (run: Simulation): Explanation[] => [...explainReadiness(run), ...explainPulls(run)];

function explainPulls({ events }: Simulation): Explanation[] {
  const pulls = events.filter(({ pull }) => pull !== undefined && pull !== 'present');
  const keyOf = (event: SimulatedEvent) => `${subjectOf(event)} ${event.image}`;
  return [...groupBy(pulls, keyOf).values()].flatMap(ofImage);
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

export const explanationsOf = (run: Simulation): Explanation[] =>
  [
    ...explainAppliedFaults(run),
    ...usual(run),
    ...explainFailures(run),
    ...explainOutputs(run),
    ...explainTerminations(run),
    ...explainRestarts(run),
    ...explainKubelet(run),
    ...explainPleg(run),
    ...explainNode(run),
  ].sort((a, b) => a.t - b.t);

function explainOutputs({ outputs }: Simulation): Explanation[] {
  const ends = groupBy(outputs, ({ t, pod, container, attempt }) => `${t} ${pod} ${container} ${attempt}`);
  const printed = [...ends.values()].flatMap((lines) => {
    const [first] = lines;
    const text = lines.slice(-MOST_QUOTED).map((line) => `"${line.text}"`);
    return first === undefined ? [] : { ...first, text: text.join(', ') };
  });
  const groups = repeated(printed, ({ pod, container, text }) => `${pod} ${container} ${text}`);
  return groups.map(({ first: { t, pod, container, text }, times }) => ({
    t,
    text: `${pod}/${container} failed${times}; its last output: ${text}`,
  }));
}
