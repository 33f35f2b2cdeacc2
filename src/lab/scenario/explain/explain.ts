import { clockText } from '../output/clock-text.js';
import type { Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';
import { explainFailures } from './failures.js';
import { explainAppliedFaults } from './faults.js';
import { explainKubelet } from './kubelet.js';
import { explainNode } from './node.js';
import { explainOutputs } from './outputs.js';
import { explainPleg } from './pleg.js';
import { explainPulls } from './pulls.js';
import { explainReadiness } from './readiness.js';
import { explainRestarts } from './restarts.js';
import { explainTerminations } from './terminations.js';

/** Why a run had this result, in plain words and in order of time, from the records of the run. */
export function explain(run: Simulation): string[] {
  const lines = explanationsOf(run).map(({ t, text }) => `${clockText(t).padStart(10)}  ${text}`);
  if (lines.length > usual(run).length) return lines;
  return [...lines, 'Nothing restarted, the PLEG worked normally, and the node stayed ready.'];
}

/** What every run has, whether something is wrong or not. */
const usual = (run: Simulation): Explanation[] => [...explainReadiness(run), ...explainPulls(run)];

/** The same with the times as numbers. */
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
