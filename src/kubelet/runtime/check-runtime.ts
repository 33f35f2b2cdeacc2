import type { Clock } from '../../clock/clock.js';
import type { RuntimeClient } from './client.js';

const TRIES = 3;
/** Between them, in ms. */
const PAUSE = 2000;

/**
 * What the kubelet asks before anything else: the version, and the cgroup driver with patience. Resolves with the
 * runtime's name, which is the scheme of its container ids. Rejects when the runtime is none of CRI v1.
 */
export async function checkRuntime(client: RuntimeClient, clock: Clock): Promise<string> {
  const { version, runtimeName } = await client.version();
  if (version !== '0.1.0') {
    throw new Error(
      `The runtime answered Version with version "${version}"; a kubelet works with "0.1.0" alone (CRI v1).`,
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
