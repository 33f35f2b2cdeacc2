import { bytesText, memoryBytes, milliCpu, milliCpuText } from '../../base/input/quantity.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { Resources } from '../kubernetes/resources.js';
import { isSameSize, sizesOf, withResources } from '../resources/sizes.js';
import { allStatuses } from '../status/container-statuses.js';

/**
 * The pod with the resources that its containers may use (component-helpers determineContainerReqs): a shrinking
 * container counts with its old size until its status shows less.
 */
export function inUse(pod: Pod, status: PodApiStatus | undefined): Pod {
  const shown = allStatuses(status);
  return withResources(pod, ({ name, resources }) => {
    const { resources: has, allocatedResources } = shown.find((each) => each.name === name) ?? {};
    const lists = [resources.requests, has?.requests, allocatedResources];
    const used = { ...resources, requests: { ...resources.requests, ...most(lists) } };
    return isSameSize(sizesOf(used), sizesOf(resources)) ? undefined : used;
  });
}

function most(lists: readonly (Resources['requests'] | undefined)[]): Resources['requests'] {
  const cpu = Math.max(...lists.map((list) => milliCpu(list?.cpu) ?? 0));
  const memory = Math.max(...lists.map((list) => Number(memoryBytes(list?.memory) ?? 0n)));
  return { ...(cpu > 0 && { cpu: milliCpuText(cpu) }), ...(memory > 0 && { memory: bytesText(memory) }) };
}
