import { clockText } from '../clock-text.js';
import type { Simulation } from '../run.js';
import type { Finding } from './finding.js';
import { explainKubelet } from './kubelet.js';
import { explainNode } from './node.js';
import { explainPleg } from './pleg.js';
import { explainRestarts } from './restarts.js';

/** Why a run had this result, in plain words and in order of time, from the records of the run. */
export function explain(run: Simulation): string[] {
  const findings = findingsOf(run);
  if (findings.length === 0)
    return ['Nothing restarted, the PLEG worked as it should, and the node stayed ready.'];
  return findings.map(({ t, text }) => `${clockText(t).padStart(10)}  ${text}`);
}

/** The same with the times as numbers; none when there is nothing to explain. */
export const findingsOf = (run: Simulation): Finding[] =>
  [...explainRestarts(run), ...explainKubelet(run), ...explainPleg(run), ...explainNode(run)].sort(
    (a, b) => a.t - b.t,
  );
