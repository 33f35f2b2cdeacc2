import { bytesText, memoryBytes, milliCpu, milliCpuText } from '../../base/input/quantity.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { Resources } from '../kubernetes/resources.js';
import type { KubeletVersion } from '../types/version.js';
import { type Amounts, amountsOf } from './requests.js';

/** resourceRequirements (kuberuntime_manager.go): millicores and bytes; 0 if not set. */
export interface Sizes {
  readonly cpuRequest: number;
  readonly cpuLimit: number;
  readonly memoryRequest: number;
  readonly memoryLimit: number;
}

/** Only CPU and memory can be resized. */
export const sizesOf = ({ requests, limits }: Resources): Sizes => ({
  cpuRequest: milliCpu(requests.cpu) ?? 0,
  cpuLimit: milliCpu(limits.cpu) ?? 0,
  memoryRequest: Number(memoryBytes(requests.memory) ?? 0n),
  memoryLimit: Number(memoryBytes(limits.memory) ?? 0n),
});

export const resourcesOfSizes = (sizes: Sizes): Resources => ({
  requests: { cpu: milliCpuText(sizes.cpuRequest), memory: bytesText(sizes.memoryRequest) },
  limits: { cpu: milliCpuText(sizes.cpuLimit), memory: bytesText(sizes.memoryLimit) },
});

export const isSameSize = (a: Sizes, b: Sizes): boolean =>
  a.cpuRequest === b.cpuRequest &&
  a.cpuLimit === b.cpuLimit &&
  a.memoryRequest === b.memoryRequest &&
  a.memoryLimit === b.memoryLimit;

/** Compares values, not their notation. */
export const isSameResources = (a: Resources, b: Resources): boolean =>
  isSameList(amountsOf(a.limits), amountsOf(b.limits)) &&
  isSameList(amountsOf(a.requests), amountsOf(b.requests));

const isSameList = (a: Amounts, b: Amounts): boolean =>
  a.size === b.size && [...a].every(([name, amount]) => b.get(name) === amount);

/** Containers whose resources the node allocates (IsResizableContainer): init containers from 1.36 on. */
export const resizable = ({ spec }: Pod, { minor }: KubeletVersion): ContainerSpec[] => [
  ...spec.initContainers.filter(({ restartPolicy }) => minor >= 36 || restartPolicy === 'Always'),
  ...spec.containers,
];

/** Replaces the resources of containers for which `of` returns some; returns the same pod if there are none. */
export function withResources(pod: Pod, of: (container: ContainerSpec) => Resources | undefined): Pod {
  let changed = false;
  const convert = (container: ContainerSpec): ContainerSpec => {
    const resources = of(container);
    if (resources === undefined) return container;
    changed = true;
    return { ...container, resources };
  };
  const initContainers = pod.spec.initContainers.map(convert);
  const containers = pod.spec.containers.map(convert);
  return changed ? { ...pod, spec: { ...pod.spec, initContainers, containers } } : pod;
}
