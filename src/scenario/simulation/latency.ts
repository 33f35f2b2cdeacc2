import { type RuntimeProfileName, runtimeProfiles } from '../../profiles/index.js';
import { chooseLatency, type LatencyChoice } from '../../profiles/latency/choose-latency.js';
import type { Latency } from '../../profiles/latency/latency.js';
import { usualLatency } from '../../profiles/latency/usual.js';

/**
 * The times of a simulated runtime. One whose profile has none takes the usual times: without any, nothing races.
 * Throws InputError for a file that can't be read.
 */
export function simulatedLatency(choice: LatencyChoice | Latency, profile: RuntimeProfileName): Latency {
  const own = runtimeProfiles[profile]?.latency ?? usualLatency;
  if (choice === 'profile') return own;
  if (typeof choice === 'string') return chooseLatency(choice, profile, '--latency') ?? {};
  return { ...own, ...choice };
}
