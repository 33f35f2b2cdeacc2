import type { Clock } from '../../base/clock/clock.js';
import { UserError } from '../../base/input/user-error.js';
import { KUBELET_API_VERSION } from '../../cri/kubelet-api-version.js';
import type { RuntimeClient } from './client.js';

const TRIES = 3;
/** Pause between attempts, in ms. */
const PAUSE = 2000;

/**
 * Makes the kubelet's first calls: checks the version, and asks for the cgroup driver with retries. Resolves with the
 * runtime's name, which is the scheme of container ids. Rejects when the runtime does not implement CRI v1.
 */
export async function checkRuntime(client: RuntimeClient, clock: Clock): Promise<string> {
  const { version, runtimeName } = await client.version();
  if (version !== KUBELET_API_VERSION) {
    throw new UserError(
      `The runtime answered Version with version "${version}"; the kubelet requires "${KUBELET_API_VERSION}" (CRI v1).`,
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
