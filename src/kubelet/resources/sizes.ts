import { bytesText, memoryBytes, milliCpu, milliCpuText } from '../../base/input/quantity.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { Resources } from '../kubernetes/resources.js';
import type { KubeletVersion } from '../types/version.js';
import { type Amounts, amountsOf } from './requests.js';

/** resourceRequirements (kuberuntime_manager.go): thousandths of a CPU, and bytes; 0 if not set. */
export interface Sizes {
  readonly cpuRequest: number;
  readonly cpuLimit: number;
  readonly memoryRequest: number;
  readonly memoryLimit: number;
}

/** What of resources can be resized. */
export const sizesOf = ({ requests, limits }: Resources): Sizes => ({
  cpuRequest: milliCpu(requests.cpu) ?? 0,
  cpuLimit: milliCpu(limits.cpu) ?? 0,
  memoryRequest: Number(memoryBytes(requests.memory) ?? 0n),
  memoryLimit: Number(memoryBytes(limits.memory) ?? 0n),
});

/** Sizes as quantities. */
export const resourcesOfSizes = (sizes: Sizes): Resources => ({
  requests: { cpu: milliCpuText(sizes.cpuRequest), memory: bytesText(sizes.memoryRequest) },
  limits: { cpu: milliCpuText(sizes.cpuLimit), memory: bytesText(sizes.memoryLimit) },
});

/** Whether two have the same sizes. */
export const isSameSize = (a: Sizes, b: Sizes): boolean =>
  a.cpuRequest === b.cpuRequest &&
  a.cpuLimit === b.cpuLimit &&
  a.memoryRequest === b.memoryRequest &&
  a.memoryLimit === b.memoryLimit;

/** Whether two ask for the same, in whatever notation. */
export const isSameResources = (a: Resources, b: Resources): boolean =>
  isSameList(amountsOf(a.limits), amountsOf(b.limits)) &&
  isSameList(amountsOf(a.requests), amountsOf(b.requests));

const isSameList = (a: Amounts, b: Amounts): boolean =>
  a.size === b.size && [...a].every(([name, amount]) => b.get(name) === amount);

/** The containers of a pod whose resources its node sets aside (IsResizableContainer): init containers from 1.36 on. */
export const resizable = ({ spec }: Pod, { minor }: KubeletVersion): ContainerSpec[] => [
  ...spec.initContainers.filter(({ restartPolicy }) => minor >= 36 || restartPolicy === 'Always'),
  ...spec.containers,
];

/** The pod with other resources for the containers that have some; the same pod if none has. */
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
