import type { Clock } from '../../base/clock/clock.js';
import type { CriClient } from '../../cri/client/client.js';

/** Label on all objects of the suite, to distinguish them from existing objects. */
export const RUN_LABEL = 'mockri.dev/conformance-run';

/** An abandoned call can still complete, so an empty list is confirmed by a second list after this many ms. */
const GRACE = 500;
const ROUNDS = 5;

/** Removes sandboxes whose calls were abandoned before they returned an id. Resolves with the remaining ones. */
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

/** Checks the run's label itself: only objects of this run are removed, even if the runtime's filter is wrong. */
async function sandboxesOf(cri: CriClient, run: string, timeout: number): Promise<string[]> {
  const filter = { labelSelector: { [RUN_LABEL]: run } };
  const { items } = await cri.listPodSandbox({ filter }, { timeout });
  return items.filter(({ labels }) => labels[RUN_LABEL] === run).map(({ id }) => id);
}

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

/** Removes an image by name, and by id if names are ignored (cri-dockerd). Rejects if the id has other names. */
export async function removeImage(cri: CriClient, name: string, timeout: number): Promise<void> {
  await cri.removeImage({ image: { image: name } }, { timeout });
  const { image } = await cri.imageStatus({ image: { image: name } }, { timeout });
  if (image === undefined) return;
  if (image.repoTags.length > 1)
    throw new Error(`only its id removes it, which all of these have: ${image.repoTags.join(', ')}`);
  await cri.removeImage({ image: { image: image.id } }, { timeout });
}
