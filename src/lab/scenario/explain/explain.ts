import { clockText } from '../output/clock-text.js';
import { exitText } from '../run/exit-text.js';
import type { Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';
import { explainFailures } from './failures.js';
import { explainAppliedFaults } from './faults.js';
import { explainNode } from './node.js';
import { explainPleg } from './pleg.js';
import { explainPulls } from './pulls.js';
import { explainReadiness } from './readiness.js';
import { groupedBy, repeated } from './repeated.js';
import { explainRestarts } from './restarts.js';
import { explainTerminations } from './terminations.js';

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
  const ends = groupedBy(outputs, ({ t, pod, container, attempt }) => `${t} ${pod} ${container} ${attempt}`);
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
