import type { RuntimePodStatus } from '../types.js';
import type { RuntimeContext } from './context.js';
import { isNotFound } from './errors.js';
import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE } from './labels.js';
import { groupByPod, type ListedContainer, type ListedPod, listPods, newestFirst } from './pods.js';

/**
 * removeContainer (kuberuntime_container.go): log files first, for which the container's path and its legacy link
 * are asked for one after the other.
 */
export async function removeContainer(
  { client, files }: RuntimeContext,
  id: string,
  { keepLog = false } = {},
): Promise<void> {
  if (!keepLog) {
    try {
      const { logPath } = await client.containerStatus(id);
      const { labels } = await client.containerStatus(id);
      await files.removeLogs(logPath, {
        pod: labels[POD_NAME] ?? '',
        namespace: labels[POD_NAMESPACE] ?? '',
        container: labels[CONTAINER_NAME] ?? '',
        containerId: id,
        logPath,
      });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  await client.removeContainer(id);
}

/**
 * cleanUpContainersInPod, on every ContainerDied (pod_container_deletor.go): of the died container's name keeps the
 * newest dead one. Answers the ids to remove.
 */
export function deadContainersToRemove(
  diedId: string,
  status: RuntimePodStatus,
  removeAll: boolean,
): string[] {
  const died = status.containers.find(({ id }) => id === diedId);
  if (died === undefined && !removeAll) return [];
  return status.containers
    .filter(({ state, name }) => state === 'exited' && (removeAll || name === died?.name))
    .slice(removeAll ? 0 : 1)
    .map(({ id }) => id);
}

/** Which pods the collection spares. */
export interface GarbageCollection {
  /** The pod is gone or ended for good: nothing of it is kept. */
  readonly removeAll: (uid: string) => boolean;
  /** The pod's own record is gone too, so that its last sandbox may go. */
  readonly isGone: (uid: string) => boolean;
}

/**
 * ContainerGC, once a minute (kuberuntime_gc.go): per pod and name keeps the newest container that does not run; then
 * sandboxes without containers, of which an existing pod keeps the newest.
 */
export async function collectGarbage(context: RuntimeContext, choice: GarbageCollection): Promise<void> {
  const containers = groupContainers(await context.client.listContainers());
  for (const [uid, byName] of containers) {
    for (const group of byName.values()) {
      const dead = group.filter(({ state }) => state !== 'running').sort(newestFirst);
      for (const { id, state } of dead.slice(choice.removeAll(uid) ? 0 : 1)) {
        await attempt(async () => {
          if (state === 'unknown') await context.client.stopContainer(id, 2);
          await removeContainer(context, id);
        });
      }
    }
  }
  for (const pod of (await listPods(context.client, 'all')).values())
    await collectSandboxes(context, pod, choice);
}

async function collectSandboxes(
  { client, files }: RuntimeContext,
  { uid, sandboxes, containers }: ListedPod,
  { isGone }: GarbageCollection,
): Promise<void> {
  const inactive = sandboxes.filter(
    ({ id, ready }) => !ready && !containers.some(({ podSandboxId }) => podSandboxId === id),
  );
  const gone = isGone(uid);
  const newest = sandboxes[0];
  const removable = gone ? inactive : inactive.filter((sandbox) => sandbox !== newest);
  for (const { id } of removable) {
    await attempt(async () => {
      await client.stopSandbox(id);
      await client.removeSandbox(id);
    });
  }
  if (gone && removable.length === sandboxes.length) await files.removePod(uid);
}

function groupContainers(
  containers: Awaited<ReturnType<RuntimeContext['client']['listContainers']>>,
): Map<string, Map<string, ListedContainer[]>> {
  const pods = new Map<string, Map<string, ListedContainer[]>>();
  for (const pod of groupByPod([], containers).values()) {
    const byName = new Map<string, ListedContainer[]>();
    for (const container of pod.containers) {
      byName.set(container.name, [...(byName.get(container.name) ?? []), container]);
    }
    pods.set(pod.uid, byName);
  }
  return pods;
}

/** What can't be removed now is tried again at the next round. */
async function attempt(removal: () => Promise<void>): Promise<void> {
  try {
    await removal();
  } catch {
    // The runtime said no; the object is still listed in a minute.
  }
}
