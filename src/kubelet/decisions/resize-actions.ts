import type { ContainerSpec } from '../kubernetes/container.js';
import { isSameSize, sizesOf } from '../resources/sizes.js';
import type { RuntimeContainerStatus } from '../types/runtime-status.js';
import type { ActionInput, ContainerToUpdate, PodActions, ResizedResource } from './pod-actions.js';

/**
 * computePodResizeAction: adds the updates of a running container; returns false if it must restart instead. If the
 * kubelet does not know what it last sent, it assumes that nothing has changed; the real one sends it again.
 */
export function keepsRunning(
  { version, actuated }: ActionInput,
  actions: PodActions,
  container: ContainerSpec,
  { id, state }: RuntimeContainerStatus,
): boolean {
  const known = version.resizes && state === 'running' ? actuated(container) : undefined;
  if (known === undefined) return true;
  const desired = sizesOf(container.resources);
  const current = sizesOf(known);
  if (isSameSize(desired, current)) return true;
  actions.resize ??= { memory: [], cpu: [], restarts: false };
  const { resize } = actions;
  const differs = {
    memory: desired.memoryLimit !== current.memoryLimit || desired.memoryRequest !== current.memoryRequest,
    cpu: desired.cpuLimit !== current.cpuLimit || desired.cpuRequest !== current.cpuRequest,
  };
  const wantsRestart = ({ resourceName, restartPolicy }: { resourceName: string; restartPolicy: string }) =>
    restartPolicy === 'RestartContainer' && differs[resourceName as ResizedResource];
  if (container.resizePolicy?.some(wantsRestart)) {
    resize.restarts = true;
    const message = `Container ${container.name} resize requires restart`;
    actions.containersToKill.push({ id, container, message, reason: 'unknown' });
    return false;
  }
  const update: ContainerToUpdate = { id, container, desired, current, shared: { sizes: current } };
  if (differs.memory) addInOrder(resize.memory, update, 'memory');
  if (differs.cpu) addInOrder(resize.cpu, update, 'cpu');
  return true;
}

/** Whether a starting container has other resources than before (startingResizedContainer, ≥ 1.37). */
export function resizesPodForStart(
  { pod, version, actuated }: ActionInput,
  { initContainersToStart, containersToStart }: PodActions,
): boolean {
  if (version.minor < 37) return false;
  const { containers, initContainers } = pod.spec;
  const starting = [
    ...initContainersToStart.map((index) => initContainers[index] as ContainerSpec),
    ...containersToStart.map((index) => containers[index] as ContainerSpec),
  ];
  return starting.some((container) => {
    const known = actuated(container);
    return known !== undefined && !isSameSize(sizesOf(container.resources), sizesOf(known));
  });
}

/** Decreases come before increases. The limit decides, or the request if the limit stays. */
function addInOrder(
  updates: ContainerToUpdate[],
  update: ContainerToUpdate,
  resource: ResizedResource,
): void {
  const { desired, current } = update;
  const grows =
    resource === 'memory'
      ? desired.memoryLimit - current.memoryLimit || desired.memoryRequest - current.memoryRequest
      : desired.cpuLimit - current.cpuLimit || desired.cpuRequest - current.cpuRequest;
  if (grows > 0) updates.push(update);
  else updates.unshift(update);
}
