import { bytesText, milliCpu, milliCpuText } from '../../base/input/quantity.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { ContainerApiStatus } from '../kubernetes/pod-status.js';
import type { Resources } from '../kubernetes/resources.js';
import { type Sizes, sizesOf } from '../resources/sizes.js';
import type { RuntimeContainerStatus } from '../types/runtime-status.js';

/** Below these values, in millicores, the runtime rounds up (MinMilliCPULimit, MinShares). */
const LEAST_LIMIT = 10;
const LEAST_REQUEST = 2;

type Actual = { readonly [K in keyof Sizes]?: number | undefined };
type List = Readonly<Record<string, string>>;

export interface ShownResources {
  readonly spec: ContainerSpec;
  readonly instance: RuntimeContainerStatus;
  /** Resources last sent to the runtime. */
  readonly actuated: Resources | undefined;
  /** Previous status, if it was running and of the same instance. */
  readonly old: ContainerApiStatus | undefined;
}

/**
 * convertContainerStatusResources (kubelet_pods.go): what the runtime reports of a running container, otherwise the
 * allocated resources. Shows only allocated resources; undefined without any.
 */
export function shownResources(
  given: ShownResources,
): Pick<ContainerApiStatus, 'resources' | 'allocatedResources'> | undefined {
  const { requests, limits } = given.spec.resources;
  const [hasRequests, hasLimits] = [requests, limits].map((list) => Object.keys(list).length > 0);
  if (!hasRequests && !hasLimits) return undefined;
  const allocatedResources = hasRequests ? requests : undefined;
  if (given.instance.state !== 'running') return { resources: { requests, limits }, allocatedResources };
  const reported = given.instance.resources;
  const sizes = given.actuated && sizesOf(given.actuated);
  const actual: Actual =
    reported === undefined ? { ...sizes } : { ...reported, memoryRequest: sizes?.memoryRequest || undefined };
  const old = given.old?.resources;
  return {
    resources: {
      limits: hasLimits
        ? {
            ...limits,
            ...cpuOf(limits, actual.cpuLimit, LEAST_LIMIT, old?.limits),
            ...memoryOf(actual.memoryLimit, old?.limits),
          }
        : limits,
      requests: hasRequests
        ? {
            ...requests,
            ...cpuOf(requests, actual.cpuRequest, LEAST_REQUEST, old?.requests),
            ...memoryOf(actual.memoryRequest, old?.requests),
          }
        : requests,
    },
    allocatedResources,
  };
}

function cpuOf(allocated: List, actual: number | undefined, least: number, old: List | undefined): List {
  if (actual === undefined) return old?.cpu === undefined ? {} : { cpu: old.cpu };
  return actual > least || (milliCpu(allocated.cpu) ?? 0) > least ? { cpu: milliCpuText(actual) } : {};
}

function memoryOf(actual: number | undefined, old: List | undefined): List {
  if (actual !== undefined) return { memory: bytesText(actual) };
  return old?.memory === undefined ? {} : { memory: old.memory };
}
