import type { Simulation } from '../run-recorder.js';
import type { Finding } from './finding.js';
import { explainNode } from './node.js';
import { explainPleg } from './pleg.js';
import { explainRestarts } from './restarts.js';

/** Why things went as they did, in plain words and in order of time; everything from the run's own records. */
export function explain(run: Simulation): string[] {
  const findings: Finding[] = [...explainRestarts(run), ...explainPleg(run), ...explainNode(run)];
  if (findings.length === 0)
    return ['Nothing restarted, the PLEG worked as it should, and the node stayed ready.'];
  return findings.sort((a, b) => a.t - b.t).map(({ t, text }) => `${t.toFixed(1).padStart(8)}s  ${text}`);
}
