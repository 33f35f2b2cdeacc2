import type { PodApiStatus } from '../kubernetes/pod-status.js';

/** kubelet.go rejectPod. */
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
