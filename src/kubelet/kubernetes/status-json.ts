import type { ContainerSpec } from './container.js';
import type { Pod } from './pod.js';
import type {
  ContainerApiState,
  ContainerApiStatus,
  PodApiStatus,
  PodCondition,
  PodStatusJson,
} from './pod-status.js';
import { qosClass } from './qos-class.js';
import { toTimeOrNull } from './time.js';

export interface StatusView {
  /** Address of the node. Default: not shown. */
  readonly hostIp?: string;
  /** The kubelet's version: 36 for 1.36. Default: the newest. */
  readonly minor?: number;
  /** Maps a pod's address to the one shown. Default: the same. */
  readonly shownIp?: (ip: string) => string;
}

/** Since this minor version a status has observedGeneration (PodObservedGenerationTracking, beta). */
const OBSERVES_GENERATION = 34;

/** Since this minor version a container status has resources (InPlacePodVerticalScaling, beta). */
const SHOWS_RESOURCES = 33;

/** v1.PodStatus as the kubelet sends it to the API server (kubelet_pods.go generateAPIPodStatus). */
export function statusJson(
  { spec, metadata }: Pod,
  status: PodApiStatus,
  { hostIp, minor = Number.POSITIVE_INFINITY, shownIp = (ip) => ip }: StatusView = {},
): PodStatusJson {
  const generation = minor >= OBSERVES_GENERATION ? metadata.generation : undefined;
  const ips = status.podIPs.map((ip) => (ip === hostIp ? ip : shownIp(ip)));
  const listed = (statuses: readonly ContainerApiStatus[], specs: readonly ContainerSpec[] = []) =>
    statuses.map((each) => {
      const ownSpec = specs.find(({ name }) => name === each.name);
      return containerJson(each, ownSpec, minor);
    });
  const { initContainerStatuses: init, ephemeralContainerStatuses: ephemeral } = status;
  return {
    phase: status.phase,
    ...(generation !== undefined && { observedGeneration: generation }),
    conditions: status.conditions.map((condition) => conditionJson(condition, generation)),
    ...(status.reason && { reason: status.reason }),
    ...(status.message && { message: status.message }),
    ...(hostIp !== undefined && { hostIP: hostIp, hostIPs: [{ ip: hostIp }] }),
    ...(ips.length > 0 && { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    qosClass: qosClass({ spec }),
    startTime: toTimeOrNull(status.startTime),
    ...(init.length > 0 && { initContainerStatuses: listed(init, spec.initContainers) }),
    containerStatuses: listed(status.containerStatuses, spec.containers),
    ...(ephemeral && { ephemeralContainerStatuses: listed(ephemeral, spec.ephemeralContainers) }),
  };
}

function conditionJson(
  { lastTransitionTime, lastProbeTime, observedGeneration: own, ...condition }: PodCondition,
  generation: number | undefined,
) {
  return {
    ...condition,
    lastProbeTime: toTimeOrNull(lastProbeTime),
    lastTransitionTime: toTimeOrNull(lastTransitionTime),
    ...(generation !== undefined && { observedGeneration: own || generation }),
  };
}

/** Includes the container's mounts, which repeat the specification (convertToAPIContainerStatuses). */
function containerJson(
  { state, lastState, user, resources, allocatedResources, ...status }: ContainerApiStatus,
  spec: ContainerSpec | undefined,
  minor: number,
) {
  return {
    ...status,
    ...(resources && { resources: { ...resources } }),
    ...(allocatedResources && { allocatedResources: { ...allocatedResources } }),
    ...(user && { user: { linux: { ...user, supplementalGroups: [...user.supplementalGroups] } } }),
    state: stateJson(state),
    lastState: lastState === undefined ? {} : stateJson(lastState),
    ...(spec && mountsOf(spec)),
    ...(spec && minor >= SHOWS_RESOURCES && status.containerID !== '' && { resources: filled(resources) }),
  };
}

function stateJson(state: ContainerApiState) {
  if (state.kind === 'running') return { running: { startedAt: toTimeOrNull(state.startedAt) } };
  const { reason, message } = state;
  const why = { ...(reason !== '' && { reason }), ...(message !== '' && { message }) };
  if (state.kind === 'waiting') return { waiting: why };
  const { exitCode, startedAt, finishedAt, containerID } = state;
  return {
    terminated: {
      exitCode,
      ...why,
      startedAt: toTimeOrNull(startedAt),
      finishedAt: toTimeOrNull(finishedAt),
      ...(containerID !== '' && { containerID }),
    },
  };
}

const mountsOf = ({ volumeMounts }: ContainerSpec) =>
  volumeMounts.length > 0 && {
    volumeMounts: volumeMounts.map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly && { readOnly, recursiveReadOnly: 'Disabled' }),
    })),
  };

/** Omits empty lists. */
function filled({ limits, requests }: Partial<NonNullable<ContainerApiStatus['resources']>> = {}) {
  const has = (list: object | undefined) => list !== undefined && Object.keys(list).length > 0;
  return {
    ...(has(limits) && { limits: { ...limits } }),
    ...(has(requests) && { requests: { ...requests } }),
  };
}
