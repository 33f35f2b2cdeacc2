import type { PodApiStatus } from '../kubernetes/pod-status.js';

/** The status of a pod that its node does not take (kubelet.go rejectPod). */
export const rejectedStatus = (reason: string, message: string): PodApiStatus => ({
  phase: 'Failed',
  reason,
  message: `Pod was rejected: ${message}`,
  conditions: [],
  podIPs: [],
  startTime: undefined,
  initContainerStatuses: [],
  containerStatuses: [],
});
