import { qosClass } from '../../kubelet/resources/qos-class.js';
import { statusJson } from '../../kubelet/status/api-json.js';
import type { ContainerSpec, Pod, PodApiStatus } from '../../kubelet/types.js';
import type { ApiContainerStatus, ApiPodStatus } from './api-pod.js';
import { toClusterAddress } from './pod-address.js';

/** What a status needs besides the kubelet's. */
export interface StatusSurroundings {
  /** Address of the node. */
  readonly hostIp: string;
  /** The kubelet's version: 36 for 1.36. */
  readonly minor: number;
}

/** From this version on a status says which generation of the pod it is about (PodObservedGenerationTracking, beta). */
const OBSERVES_GENERATION = 34;

/** From this version on a container's status has its resources (InPlacePodVerticalScaling, beta). */
const SHOWS_RESOURCES = 33;

/** The status as the kubelet sends it to the API server (kubelet_pods.go generateAPIPodStatus). */
export function statusToApi(
  pod: Pod,
  status: PodApiStatus,
  { hostIp, minor }: StatusSurroundings,
): ApiPodStatus {
  const { generation } = pod.metadata;
  const observed = minor >= OBSERVES_GENERATION && generation !== undefined;
  const observedGeneration = observed ? { observedGeneration: generation } : {};
  const ips = status.podIPs.map((ip) => ({ ip: ip === hostIp ? ip : toClusterAddress(ip) }));
  const [first] = ips;
  const json = statusJson(status) as ApiPodStatus;
  const made = {
    ...json,
    ...observedGeneration,
    conditions: json.conditions?.map(({ observedGeneration: own, ...condition }) => ({
      ...condition,
      ...observedGeneration,
      ...(observed && own !== undefined && { observedGeneration: own }),
    })),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    qosClass: qosClass(pod),
    ...(first && { podIP: first.ip, podIPs: ips }),
    ...(json.initContainerStatuses && {
      initContainerStatuses: withSpecs(json.initContainerStatuses, pod.spec.initContainers, minor),
    }),
    ...(json.containerStatuses && {
      containerStatuses: withSpecs(json.containerStatuses, pod.spec.containers, minor),
    }),
    ...(json.ephemeralContainerStatuses && {
      ephemeralContainerStatuses: withSpecs(
        json.ephemeralContainerStatuses,
        pod.spec.ephemeralContainers ?? [],
        minor,
      ),
    }),
  };
  // JSON leaves out fields that are undefined.
  return JSON.parse(JSON.stringify(made)) as ApiPodStatus;
}

/** The mounts, which repeat the specification, and resources in their form (convertToAPIContainerStatuses). */
function withSpecs(
  statuses: readonly ApiContainerStatus[],
  specs: readonly ContainerSpec[],
  minor: number,
): readonly ApiContainerStatus[] {
  return statuses.map((status) => {
    const spec = specs.find(({ name }) => name === status.name);
    if (spec === undefined) return status;
    return { ...status, ...mountsOf(spec), ...(minor >= SHOWS_RESOURCES && resourcesOf(status)) };
  });
}

function mountsOf({ volumeMounts }: ContainerSpec): object {
  if (volumeMounts.length === 0) return {};
  return {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly && { readOnly, recursiveReadOnly: 'Disabled' }),
    })),
  };
}

/** InPlacePodVerticalScaling, beta from 1.33 on: what a container that was created has. */
function resourcesOf({ containerID = '', resources = {} }: ApiContainerStatus): object {
  if (containerID === '') return {};
  const has = (list: object | undefined) => list !== undefined && Object.keys(list).length > 0;
  const { limits, requests } = resources;
  return { resources: { ...(has(limits) && { limits }), ...(has(requests) && { requests }) } };
}
