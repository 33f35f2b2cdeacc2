import type { Clock } from '../../clock/clock.js';
import { UserError } from '../../input/user-error.js';
import type { RuntimeClient } from './client.js';

const TRIES = 3;
/** Pause between attempts (ms). */
const PAUSE = 2000;

/**
 * The kubelet's first calls: the version, and the cgroup driver with retries. Resolves with the runtime's name, the
 * scheme of its container ids. Rejects when the runtime does not implement CRI v1.
 */
export async function checkRuntime(client: RuntimeClient, clock: Clock): Promise<string> {
  const { version, runtimeName } = await client.version();
  if (version !== '0.1.0') {
    throw new UserError(
      `The runtime answered Version with version "${version}"; the kubelet requires "0.1.0" (CRI v1).`,
    );
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await client.runtimeConfig();
      return runtimeName;
    } catch {
      if (attempt === TRIES) return runtimeName;
      await clock.sleep(PAUSE);
    }
  }
}
