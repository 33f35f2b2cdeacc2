import type { Pod } from './pod.js';
import type { PodApiStatus } from './pod-status.js';
import { type StatusView, statusJson } from './status-json.js';
import { toTime, toTimeOrNull } from './time.js';

/** v1.PodList as a kubelet's /pods returns it. */
export function podListJson(
  pods: readonly { readonly pod: Pod; readonly status: PodApiStatus | undefined }[],
  view: StatusView = {},
) {
  return {
    kind: 'PodList',
    apiVersion: 'v1',
    metadata: {},
    items: pods.map(({ pod, status }) => podJson(pod, status, view)),
  };
}

function podJson(pod: Pod, status: PodApiStatus | undefined, view: StatusView) {
  const { creationTimestamp, deletionTimestamp, ...rest } = pod.metadata;
  return {
    metadata: {
      ...rest,
      creationTimestamp: toTimeOrNull(creationTimestamp),
      ...(deletionTimestamp !== undefined && { deletionTimestamp: toTime(deletionTimestamp) }),
    },
    spec: pod.spec,
    status: status === undefined ? { phase: 'Pending' as const } : statusJson(pod, status, view),
  };
}
