import { InputError } from '../../base/input/yaml.js';
import type { Oracle } from '../scenario/expect/oracle.js';
import type { Explored } from './explore.js';
import { createRunner } from './run/runner.js';
import { withVersion } from './subject/subject.js';

/** Whether the finding occurs with another kubelet version; undefined if the scenario does not run with it. */
export async function isThere(
  { scenario, finding }: Explored,
  version: string,
  oracle?: Oracle,
): Promise<boolean | undefined> {
  try {
    const runner = createRunner(withVersion(scenario, version), { oracle });
    return (await runner.breaks(finding.schedule, finding.rule, finding.pod)) !== undefined;
  } catch (error) {
    // The version does not know a feature gate of the scenario.
    if (error instanceof InputError) return undefined;
    throw error;
  }
}
