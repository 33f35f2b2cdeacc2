import type { Pod } from '../kubernetes/pod.js';
import type { ContainerApiState, ContainerApiStatus, PodApiStatus } from '../kubernetes/pod-status.js';

/** Total bytes for termination messages per pod (kubelet container/runtime.go). */
const ALL_MESSAGES = 12 * 1024;

/** normalizeStatus (status_manager.go): truncates each termination message to its container's share. */
export function normalizeStatus({ spec }: Pod, status: PodApiStatus): PodApiStatus {
  const { initContainers, containers, ephemeralContainers = [] } = spec;
  const count = initContainers.length + containers.length + ephemeralContainers.length;
  const limit = Math.floor(ALL_MESSAGES / count);
  const shorten = <S extends ContainerApiState | undefined>(state: S): S =>
    state?.kind === 'terminated' ? { ...state, message: firstBytes(state.message, limit) } : state;
  const container = (shown: ContainerApiStatus): ContainerApiStatus => ({
    ...shown,
    state: shorten(shown.state),
    lastState: shorten(shown.lastState),
  });
  return {
    ...status,
    initContainerStatuses: status.initContainerStatuses.map(container),
    containerStatuses: status.containerStatuses.map(container),
    ephemeralContainerStatuses: status.ephemeralContainerStatuses?.map(container),
  };
}

const firstBytes = (text: string, bytes: number): string =>
  Buffer.byteLength(text) <= bytes ? text : Buffer.from(text).subarray(0, bytes).toString();
