import type { Clock } from '../clock/clock.js';
import type { CriClient } from '../cri/client.js';

/** On everything that the suite makes, so that it can be told from what was there. */
export const RUN_LABEL = 'mockri.dev/conformance-run';

/** A call that was given up may still come to its end, so an empty list is believed the second time, this many ms later. */
const GRACE = 500;
const ROUNDS = 5;

/**
 * Removes the run's sandboxes that checks did not remove themselves, because their calls were given up before they
 * told an id. Resolves with what could not be removed.
 */
export async function cleanUp(
  cri: CriClient,
  clock: Clock,
  run: string,
  { timeout, interrupted }: { readonly timeout: number; readonly interrupted: boolean },
): Promise<readonly string[]> {
  let left: readonly string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ids = await sandboxesOf(cri, run, timeout).catch(() => []);
    if (ids.length === 0 && (round > 0 || !interrupted)) return [];
    left = (await Promise.all(ids.map((id) => removeSandbox(cri, id, timeout)))).flat();
    await clock.sleep(GRACE);
  }
  return left;
}

/** The filter is the runtime's business, so it isn't trusted: nothing but the run's own may be removed. */
async function sandboxesOf(cri: CriClient, run: string, timeout: number): Promise<string[]> {
  const filter = { labelSelector: { [RUN_LABEL]: run } };
  const { items } = await cri.listPodSandbox({ filter }, { timeout });
  return items.filter(({ labels }) => labels[RUN_LABEL] === run).map(({ id }) => id);
}

/** Stops and removes a sandbox; resolves with what went wrong. */
export async function removeSandbox(
  cri: CriClient,
  podSandboxId: string,
  timeout: number,
): Promise<readonly string[]> {
  try {
    await cri.stopPodSandbox({ podSandboxId }, { timeout });
    await cri.removePodSandbox({ podSandboxId }, { timeout });
    return [];
  } catch (error) {
    return [`sandbox ${podSandboxId}: ${error}`];
  }
}
