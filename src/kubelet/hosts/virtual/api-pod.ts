import type { Json } from '../../api-server/json.js';
import { ownVolumes } from '../../kubernetes/own-volumes.js';
import type { Pod } from '../../kubernetes/pod.js';
import { qosClass } from '../../kubernetes/qos-class.js';
import { toTime, toTimeOrNull } from '../../kubernetes/time.js';

export const podPath = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}`;

/** A pod right after the scheduler bound it. `manifest` has fields that the thin kubelet does not read. */
export function apiPod({ metadata, spec }: Pod, manifest: Json): Json {
  const { creationTimestamp, deletionTimestamp: _, deletionGracePeriodSeconds: __, ...rest } = metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generation: 1, ...rest, creationTimestamp: toTimeOrNull(creationTimestamp) },
    spec: {
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
      ...manifest.spec,
      ...spec,
      serviceAccountName: spec.serviceAccountName || 'default',
      // A program would mount this machine's directories.
      volumes: ownVolumes(spec.volumes),
    },
    status: { phase: 'Pending', qosClass: qosClass({ spec }) },
  };
}

/** A pod that is being deleted: its deletionTimestamp is when its grace period ends. */
export function endingPod(object: Json, { metadata }: Pod): Json {
  const { deletionTimestamp = 0n, deletionGracePeriodSeconds = 30 } = metadata;
  return {
    ...object,
    metadata: {
      ...object.metadata,
      generation: (object.metadata.generation ?? 1) + 1,
      deletionGracePeriodSeconds,
      deletionTimestamp: toTime(deletionTimestamp + BigInt(deletionGracePeriodSeconds) * 1_000_000_000n),
    },
  };
}
