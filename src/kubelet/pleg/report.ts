import type { PlegReport, Problem } from '../types/reports.js';
import type { PlegMetrics } from './metrics.js';

/** Also reports each relist and each connected event stream. */
export const reportingMetrics = (
  metrics: PlegMetrics,
  report: (report: PlegReport) => void,
): PlegMetrics => ({
  ...metrics,
  relistDuration: (seconds) => {
    metrics.relistDuration(seconds);
    report({ state: 'relist', seconds });
  },
  eventedConnected: () => {
    metrics.eventedConnected();
    report({ state: 'evented' });
  },
});

/** Also reports each change of health when it is called. */
export function reportingProblems(
  problems: () => readonly Problem[],
  report: (report: PlegReport) => void,
): () => readonly Problem[] {
  let last: PlegReport['state'] | undefined;
  return () => {
    const found = problems();
    const [problem] = found;
    const state = stateOf(problem);
    // Durations in the text grow with every call; that is not a change.
    if (state !== last) report({ state, ...(problem && { text: problem.text }) });
    last = state;
    return found;
  };
}

const stateOf = (problem: Problem | undefined): 'healthy' | 'starting' | 'unhealthy' => {
  if (problem === undefined) return 'healthy';
  return problem.what === 'pleg-starting' ? 'starting' : 'unhealthy';
};
