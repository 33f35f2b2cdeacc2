import type { ContainerApiState, ContainerApiStatus, PodApiStatus } from '../../kubelet/types.js';
import type { ApiContainerState, ApiContainerStatus, ApiPodStatus } from './api-pod.js';
import { toLocalAddress } from './pod-address.js';
import { fromTime } from './time.js';

/** v1.PodStatus as the kubelet keeps it. */
export function statusFromApi(status: ApiPodStatus | undefined): PodApiStatus | undefined {
  if (status === undefined) return undefined;
  return {
    phase: status.phase ?? 'Pending',
    reason: status.reason,
    message: status.message,
    conditions: (status.conditions ?? []).map(
      ({ type, status: value, reason, message, lastTransitionTime, observedGeneration }) => ({
        type,
        status: value,
        reason,
        message,
        lastTransitionTime: fromTime(lastTransitionTime),
        observedGeneration,
      }),
    ),
    podIPs: (status.podIPs ?? []).map(({ ip }) => toLocalAddress(ip)),
    startTime: fromTime(status.startTime),
    initContainerStatuses: (status.initContainerStatuses ?? []).map(containerFromApi),
    containerStatuses: (status.containerStatuses ?? []).map(containerFromApi),
    ephemeralContainerStatuses: status.ephemeralContainerStatuses?.map(containerFromApi),
  };
}

function containerFromApi(status: ApiContainerStatus): ContainerApiStatus {
  const user = status.user?.linux;
  const { resources, allocatedResources } = status;
  return {
    name: status.name,
    state: stateFromApi(status.state) ?? { kind: 'waiting', reason: '', message: '' },
    lastState: stateFromApi(status.lastState),
    ready: status.ready ?? false,
    started: status.started ?? false,
    restartCount: status.restartCount ?? 0,
    image: status.image ?? '',
    imageID: status.imageID ?? '',
    containerID: status.containerID ?? '',
    ...(user && { user: { ...user, supplementalGroups: user.supplementalGroups ?? [] } }),
    ...(resources && {
      resources: { limits: resources.limits ?? {}, requests: resources.requests ?? {} },
    }),
    ...(allocatedResources && { allocatedResources }),
  };
}

function stateFromApi({
  waiting,
  running,
  terminated,
}: ApiContainerState = {}): ContainerApiState | undefined {
  if (running !== undefined) return { kind: 'running', startedAt: fromTime(running.startedAt) ?? 0n };
  if (waiting !== undefined)
    return { kind: 'waiting', reason: waiting.reason ?? '', message: waiting.message ?? '' };
  if (terminated === undefined) return undefined;
  return {
    kind: 'terminated',
    exitCode: terminated.exitCode,
    reason: terminated.reason ?? '',
    message: terminated.message ?? '',
    startedAt: fromTime(terminated.startedAt) ?? 0n,
    finishedAt: fromTime(terminated.finishedAt) ?? 0n,
    containerID: terminated.containerID ?? '',
  };
}
