import type { Json } from '../../api-server/json.js';
import { ownVolumes } from '../../kubernetes/own-volumes.js';
import type { Pod } from '../../kubernetes/pod.js';
import { qosClass } from '../../kubernetes/qos-class.js';
import { toTime, toTimeOrNull } from '../../kubernetes/time.js';

/** Where a pod is in the API. */
export const podPath = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}`;

/**
 * A pod as the API server has it, right after the scheduler bound it to its node. `manifest` is as it was written: it has fields
 * that the thin kubelet does not read.
 */
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
      // A program would mount what is on this machine.
      volumes: ownVolumes(spec.volumes),
    },
    status: { phase: 'Pending', qosClass: qosClass({ spec }) },
  };
}

/** The object of a pod that is being deleted: its timestamp says when its time is over. */
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
