import type { PlegReport } from '../types.js';
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

/** The health of the PLEGs, which also reports each change, when somebody asks for it. */
export function reportingHealth(
  health: () => string | undefined,
  report: (report: PlegReport) => void,
): () => string | undefined {
  let wasHealthy: boolean | undefined;
  return () => {
    const problem = health();
    const isHealthy = problem === undefined;
    // The durations in the text grow with every question; that alone is no news.
    if (isHealthy !== wasHealthy)
      report(isHealthy ? { state: 'healthy' } : { state: 'unhealthy', text: problem });
    wasHealthy = isHealthy;
    return problem;
  };
}
