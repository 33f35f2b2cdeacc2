import type { PlegReport } from '../types/reports.js';
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
  problems: () => readonly string[],
  report: (report: PlegReport) => void,
): () => readonly string[] {
  let wasHealthy: boolean | undefined;
  return () => {
    const found = problems();
    const [text] = found;
    const isHealthy = text === undefined;
    // The durations in the text grow with every question; that alone is no news.
    if (isHealthy !== wasHealthy) report(isHealthy ? { state: 'healthy' } : { state: 'unhealthy', text });
    wasHealthy = isHealthy;
    return found;
  };
}
