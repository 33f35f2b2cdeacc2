import type { PlegReport, Problem } from '../types/reports.js';
import type { PlegMetrics } from './metrics.js';

/** The metrics, which also report each relist and each stream of events that connects. */
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

/** What is wrong with the PLEGs, which also reports each change of health, when somebody asks for it. */
export function reportingProblems(
  problems: () => readonly Problem[],
  report: (report: PlegReport) => void,
): () => readonly Problem[] {
  let last: PlegReport['state'] | undefined;
  return () => {
    const found = problems();
    const [problem] = found;
    const state = stateOf(problem);
    // The durations in the text grow with every question; that alone is no news.
    if (state !== last) report({ state, ...(problem && { text: problem.text }) });
    last = state;
    return found;
  };
}

const stateOf = (problem: Problem | undefined): 'healthy' | 'starting' | 'unhealthy' => {
  if (problem === undefined) return 'healthy';
  return problem.what === 'pleg-starting' ? 'starting' : 'unhealthy';
};
