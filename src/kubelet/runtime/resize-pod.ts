import { formatPod } from '../backoff/keys.js';
import { detailsOf, errorText, isUnimplemented, isUnknown } from '../client/errors.js';
import { linuxResources } from '../cri-configs/container-config.js';
import { cgroupResources, keepLimits, type PodCgroup, podCgroup } from '../cri-configs/pod-cgroup.js';
import type { ContainerToUpdate, PodResize, ResizedResource } from '../decisions/pod-actions.js';
import type { Pod } from '../kubernetes/pod.js';
import { resourcesOfSizes, type Sizes, withResources } from '../resources/sizes.js';
import { StartError } from '../types/ports.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import type { RuntimeContext } from './context.js';
import type { SyncResults } from './sync-results.js';

export interface PodToResize {
  readonly pod: Pod;
  readonly status: RuntimePodStatus;
  readonly sandboxId: string;
  readonly resize: PodResize;
  readonly results: SyncResults;
}

/**
 * doPodResizeAction (kuberuntime_manager.go): memory, then CPU. The pod's cgroup grows before its containers and
 * shrinks after them. Stops at the first error; a later sync does the rest.
 */
export async function resizePod(context: RuntimeContext, given: PodToResize): Promise<void> {
  const { pod, status, resize, results } = given;
  const target = formatPod(pod);
  try {
    // Before restarted containers get their new resources.
    const current = podCgroup(asActuated(context, pod));
    const wanted = keepLimits(podCgroup(pod), current);
    await checkMemory(context, pod, status, { resize, current, wanted });
    try {
      await actuate(context, given, current, wanted);
    } finally {
      // The status also shows a partial resize.
      context.reinspect(pod.metadata.uid);
    }
    results.succeed('ResizePodInPlace', target);
  } catch (error) {
    results.fail('ResizePodInPlace', target, new StartError('ResizePodInPlaceError', errorText(error)));
  }
}

const asActuated = ({ actuated }: RuntimeContext, pod: Pod): Pod =>
  withResources(pod, ({ name }) => actuated.get(pod.metadata.uid, name));

async function actuate(
  context: RuntimeContext,
  { pod, sandboxId, resize }: PodToResize,
  current: PodCgroup,
  wanted: PodCgroup,
): Promise<void> {
  let now = current;
  const setPod = async (resource: ResizedResource, change: Partial<PodCgroup>): Promise<void> => {
    const next = { ...now, ...change };
    await updateSandbox(context, sandboxId, next, resource);
    now = next;
  };
  const { shares, quota, memory } = wanted;
  if (resize.memory.length > 0 || resize.restarts) {
    if (memory > current.memory) await setPod('memory', { memory });
    await updateContainers(context, pod, resize.memory, 'memory');
    if (memory < current.memory) await setPod('memory', { memory });
  }
  if (resize.cpu.length > 0 || resize.restarts) {
    if (quota > current.quota) await setPod('cpu', { quota });
    if (shares > current.shares) await setPod('cpu', { shares });
    await updateContainers(context, pod, resize.cpu, 'cpu');
    if (shares < current.shares) await setPod('cpu', { shares });
    if (quota < current.quota) await setPod('cpu', { quota });
  }
}

/** updatePodSandboxResources: ignores a runtime that does not implement the call. */
async function updateSandbox(
  { client }: RuntimeContext,
  id: string,
  cgroup: PodCgroup,
  resource: ResizedResource,
): Promise<void> {
  try {
    await client.updateSandboxResources(id, cgroupResources(cgroup));
  } catch (error) {
    if (isUnimplemented(error) || (isUnknown(error) && detailsOf(error).includes('not implemented'))) return;
    const text = `updatePodSandboxResources failed for sanboxID "${id}": ${errorText(error)}`;
    throw new Error(
      `failed to notify runtime for UpdatePodSandboxResources (resource=${resource}); resize rejected: ${text}`,
    );
  }
}

/** updatePodContainerResources: the other resource keeps the runtime's value. */
async function updateContainers(
  { client, actuated }: RuntimeContext,
  pod: Pod,
  updates: readonly ContainerToUpdate[],
  resource: ResizedResource,
): Promise<void> {
  for (const update of updates) {
    const next = { ...update.shared.sizes, ...partOf(update.desired, resource) };
    const resources = resourcesOfSizes(next);
    await client.updateContainerResources(update.id, linuxResources(resources));
    actuated.set(pod.metadata.uid, update.container.name, resources);
    update.shared.sizes = next;
  }
}

const partOf = (sizes: Sizes, resource: ResizedResource): Partial<Sizes> =>
  resource === 'memory'
    ? { memoryLimit: sizes.memoryLimit, memoryRequest: sizes.memoryRequest }
    : { cpuLimit: sizes.cpuLimit, cpuRequest: sizes.cpuRequest };

interface MemoryCheck {
  readonly resize: PodResize;
  readonly current: PodCgroup;
  readonly wanted: PodCgroup;
}

/** validateMemoryResizeAction: no limit becomes lower than the current usage. */
async function checkMemory(
  { client }: RuntimeContext,
  pod: Pod,
  { sandboxes }: RuntimePodStatus,
  { resize, current, wanted }: MemoryCheck,
): Promise<void> {
  if (resize.memory.length === 0 && !resize.restarts) return;
  const lower = new Map(
    resize.memory.flatMap(
      ({ container: { name }, desired: { memoryLimit: limit }, current: { memoryLimit } }) =>
        limit > 0 && (memoryLimit === 0 || limit < memoryLimit) ? [[name, limit] as const] : [],
    ),
  );
  const isPodLower = wanted.memory < current.memory;
  if (!isPodLower && lower.size === 0) return;
  const unreadable = new Error(`unable to read memory usage for pod "${formatPod(pod)}"`);
  const stats = await client.containerStats({ podSandboxId: sandboxes[0]?.id ?? '' }).catch(() => {
    throw unreadable;
  });
  // Pod cgroups are not simulated: their usage is that of the containers.
  const all = stats.reduce((sum, { memory }) => sum + memory, 0n);
  const problems = [
    ...(isPodLower && all >= BigInt(wanted.memory)
      ? [`attempting to set pod memory limit (${wanted.memory}) below current usage (${all})`]
      : []),
    ...stats.flatMap(({ name, memory: bytes }) => {
      const limit = lower.get(name);
      return limit === undefined || bytes < BigInt(limit)
        ? []
        : // The number is the pod's, as in kubelet 1.36.
          [`attempting to set container "${name}" memory limit (${limit}) below current usage (${all})`];
    }),
  ];
  if (problems.length === 0) return;
  const text = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  throw new Error(`cannot decrease memory limits: ${text}`);
}
