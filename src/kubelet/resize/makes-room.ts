import type { Pod } from '../../kubernetes/pod.js';
import type { PodApiStatus } from '../../kubernetes/pod-status.js';
import { exceeds, podRequests } from '../resources/requests.js';
import { inUse } from './in-use.js';

/** Whether a pod uses less of the node than its status before said (HandlePodReconcile). */
export function makesRoom(pod: Pod, before: PodApiStatus | undefined, status: PodApiStatus): boolean {
  return exceeds(podRequests(inUse(pod, before)), podRequests(inUse(pod, status)));
}
