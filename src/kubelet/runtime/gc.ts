import { groupBy } from '../../base/input/group-by.js';
import type { ContainerStatus } from '../../cri/gen/runtime/v1/api.js';
import { errorText } from '../client/errors.js';
import { CONTAINER_NAME, POD_NAME, POD_NAMESPACE, POD_UID, readNotes } from '../client/labels.js';
import { groupByPod, type ListedContainer, type ListedPod, newestFirst } from '../client/list-pods.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import { tolerant } from '../kubernetes/fields.js';
import { type Handler, lifecycleSchema } from '../kubernetes/handler.js';
import type { Pod } from '../kubernetes/pod.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import type { RuntimeContext } from './context.js';
import { killContainer, MINIMUM_GRACE } from './kill.js';
import { skeletonOf } from './skeleton-pod.js';

/**
 * removeContainer (kuberuntime_container.go): removes the log files first, with one status call each for the
 * container's log path and its legacy link, which does not exist here. A missing container is an error.
 */
export async function removeContainer(
  { client, files }: RuntimeContext,
  id: string,
  { keepLog = false } = {},
): Promise<void> {
  if (!keepLog) {
    const { logPath } = await client.containerStatus(id);
    await client.containerStatus(id);
    await files.removeLogs(logPath);
  }
  await client.removeContainer(id);
}

/** cleanUpContainersInPod (pod_container_deletor.go): all dead containers of the name except the newest. */
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

/** ShouldPodContentBeRemoved: the pod no longer exists, or it has ended and is deleted. */
export type IsGone = (uid: string) => boolean;

/**
 * ContainerGC, once a minute (kuberuntime_gc.go). Keeps the newest dead container per pod and name. Then removes
 * sandboxes without containers, except the newest of an existing pod. Oldest first; a group that is removed entirely is
 * not sorted but goes in reverse list order (removeOldestN). Rejects with the errors of failed lists.
 */
export async function collectGarbage(context: RuntimeContext, isGone: IsGone): Promise<void> {
  const failures: string[] = [];
  for (const collect of [collectContainers, collectSandboxes]) {
    await collect(context, isGone).catch((error: unknown) => failures.push(errorText(error)));
  }
  if (failures.length > 0) throw new Error(`Container garbage collection failed: ${failures.join(', ')}`);
}

async function collectContainers(context: RuntimeContext, isGone: IsGone): Promise<void> {
  const listed = await context.client.listContainers();
  const order = asListed(listed);
  const pods = [...groupByPod([], listed).values()];
  const ofGone = pods.filter(({ uid }) => isGone(uid));
  for (const dead of ofGone.flatMap(deadByName)) await removeFromLast(context, dead.toSorted(order));
  const others = pods.filter((pod) => !ofGone.includes(pod));
  for (const dead of others.flatMap(deadByName)) await removeFromLast(context, dead.slice(1));
}

interface HasId {
  readonly id: string;
}

/** For `sort`: keeps the order of a list. */
function asListed(listed: readonly HasId[]): (a: HasId, b: HasId) => number {
  const places = new Map(listed.map(({ id }, index) => [id, index]));
  return (a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0);
}

/** Containers that do not run, newest first, one list per name. */
function deadByName({ containers }: ListedPod): ListedContainer[][] {
  const dead = containers.filter(({ state }) => state !== 'running');
  return [...groupBy(dead, ({ name }) => name).values()];
}

async function removeFromLast(context: RuntimeContext, listed: readonly ListedContainer[]): Promise<void> {
  for (const { id, state } of listed.toReversed()) {
    await attempt(async () => {
      if (state === 'unknown') await killUnknownContainer(context, id);
      await removeContainer(context, id);
    });
  }
}

/**
 * Kills a container in unknown state, using its labels and annotations (restoreSpecsFromContainerLabels) for the
 * preStop hook and the grace period. Records no events: for the recorder it belongs to no pod (container/ref.go).
 */
async function killUnknownContainer(context: RuntimeContext, id: string): Promise<void> {
  const silent = { ...context, recorder: { event: () => {} } };
  await killContainer(silent, { id, ...restore(await context.client.containerStatus(id)) });
}

function restore({ labels, annotations }: ContainerStatus): { pod: Pod; container: ContainerSpec } {
  const notes = readNotes(annotations);
  const name = labels[CONTAINER_NAME] ?? '';
  const pod = skeletonOf({
    uid: labels[POD_UID] ?? '',
    name: labels[POD_NAME] ?? '',
    namespace: labels[POD_NAMESPACE] ?? '',
    containers: [{ name }],
  });
  const [skeleton] = pod.spec.containers;
  if (skeleton === undefined) throw new Error(`no container in the pod of ${name}`);
  const preStop = handlerOf(notes.preStop);
  const container = { ...skeleton, ...(preStop && { lifecycle: { preStop } }) };
  const grace = notes.deletionGrace ?? notes.terminationGrace ?? MINIMUM_GRACE;
  return { pod: { ...pod, spec: { ...pod.spec, terminationGracePeriodSeconds: grace } }, container };
}

/** Undefined if the JSON is not a handler. */
function handlerOf(json: string): Handler | undefined {
  try {
    return lifecycleSchema(tolerant).parse({ preStop: JSON.parse(json) }).preStop;
  } catch {
    return undefined;
  }
}

async function collectSandboxes({ client, files }: RuntimeContext, isGone: IsGone): Promise<void> {
  const containers = await client.listContainers();
  const inUse = new Set(containers.map(({ podSandboxId }) => podSandboxId));
  const listed = await client.listSandboxes();
  const order = asListed(listed);
  for (const pod of groupByPod(listed, []).values()) {
    const gone = isGone(pod.uid);
    const sandboxes = pod.sandboxes.toSorted(gone ? order : newestFirst);
    const removable = sandboxes.slice(gone ? 0 : 1).filter(({ id, ready }) => !ready && !inUse.has(id));
    for (const { id } of removable.toReversed()) {
      await attempt(async () => {
        await client.stopSandbox(id);
        await client.removeSandbox(id);
      });
    }
    const { uid, name, namespace } = pod;
    if (gone && removable.length === sandboxes.length) await files.removePod({ uid, name, namespace });
  }
}

async function attempt(removal: () => Promise<void>): Promise<void> {
  try {
    await removal();
  } catch {
    // The runtime refused; the next round lists the object again.
  }
}
