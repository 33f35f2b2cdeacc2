import type { ContainerApiState, ContainerApiStatus, Pod, PodApiStatus, PodCondition } from '../types.js';

/** v1.PodList of the kubelet's /pods. Times are whole seconds, as in the API. */
export function podListJson(
  pods: readonly { readonly pod: Pod; readonly status: PodApiStatus | undefined }[],
): Record<string, unknown> {
  return {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: pods.map(({ pod, status }) => podJson(pod, status)),
  };
}

function podJson({ metadata, spec }: Pod, status: PodApiStatus | undefined): Record<string, unknown> {
  const { creationTimestamp, deletionTimestamp, ...rest } = metadata;
  return {
    metadata: {
      ...rest,
      creationTimestamp: timeJson(creationTimestamp),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp: timeJson(deletionTimestamp) }),
    },
    spec,
    status: status === undefined ? { phase: 'Pending' } : statusJson(status),
  };
}

/** v1.PodStatus without what only an API server or its node knows: addresses of the host, QoS class. */
export function statusJson(status: PodApiStatus): Record<string, unknown> {
  const [podIP] = status.podIPs;
  return {
    phase: status.phase,
    conditions: status.conditions.map(conditionJson),
    ...(status.reason ? { reason: status.reason } : {}),
    ...(status.message ? { message: status.message } : {}),
    ...(podIP === undefined ? {} : { podIP, podIPs: status.podIPs.map((ip) => ({ ip })) }),
    startTime: timeJson(status.startTime),
    ...(status.initContainerStatuses.length > 0
      ? { initContainerStatuses: status.initContainerStatuses.map(containerJson) }
      : {}),
    containerStatuses: status.containerStatuses.map(containerJson),
    ...(status.ephemeralContainerStatuses && {
      ephemeralContainerStatuses: status.ephemeralContainerStatuses.map(containerJson),
    }),
  };
}

function conditionJson({
  lastTransitionTime,
  lastProbeTime,
  observedGeneration = 0,
  ...condition
}: PodCondition): Record<string, unknown> {
  return {
    ...condition,
    lastProbeTime: timeJson(lastProbeTime),
    lastTransitionTime: timeJson(lastTransitionTime),
    ...(observedGeneration > 0 && { observedGeneration }),
  };
}

function containerJson({ state, lastState, user, ...status }: ContainerApiStatus): Record<string, unknown> {
  return {
    ...status,
    ...(user && { user: { linux: user } }),
    state: stateJson(state),
    lastState: lastState === undefined ? {} : stateJson(lastState),
  };
}

function stateJson(state: ContainerApiState): Record<string, unknown> {
  if (state.kind === 'running') return { running: { startedAt: timeJson(state.startedAt) } };
  if (state.kind === 'waiting') {
    const { reason, message } = state;
    return { waiting: { ...(reason ? { reason } : {}), ...(message ? { message } : {}) } };
  }
  const { exitCode, reason, message, startedAt, finishedAt, containerID } = state;
  return {
    terminated: {
      exitCode,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
      startedAt: timeJson(startedAt),
      finishedAt: timeJson(finishedAt),
      ...(containerID ? { containerID } : {}),
    },
  };
}

/** `2026-01-01T00:00:00Z`, or null for no time. */
function timeJson(time: bigint | undefined): string | null {
  if (time === undefined || time === 0n) return null;
  return `${new Date(Number(time / 1_000_000n)).toISOString().slice(0, 19)}Z`;
}
