import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../api-server/json.js';
import type { ApiObjects } from '../../api-server/objects.js';
import { ownVolumes } from '../../kubernetes/own-volumes.js';
import type { Pod } from '../../kubernetes/pod.js';
import { type PodApiStatus, podStatusSchema } from '../../kubernetes/pod-status.js';
import { qosClass } from '../../kubernetes/qos-class.js';
import { toTime, toTimeOrNull } from '../../kubernetes/time.js';
import type { PodSource } from '../../pod-ports.js';

const podPath = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `/api/v1/namespaces/${namespace}/pods/${name}`;

export interface ProgramPodsOptions {
  readonly objects: ApiObjects;
  readonly podSource: PodSource;
  readonly manifests: string;
  /** Returns JSON. */
  readonly manifestOf: (pod: Pod) => string;
}

/** The pods of a node whose kubelet reads them from an API server and a directory. */
export interface ProgramPods {
  all(): readonly { readonly pod: Pod; readonly status: PodApiStatus | undefined }[];
  /** The pod that an API object describes; for a mirror pod, the static pod. */
  find(path: string): Pod | undefined;
  statusOf(object: Json): PodApiStatus;
}

export function followPods({ objects, podSource, manifests, manifestOf }: ProgramPodsOptions): ProgramPods {
  mkdirSync(manifests, { recursive: true });
  /** By their path in the API, including pods whose manifest is gone while their mirror pod is still there. */
  const known = new Map<string, Pod>();
  let wanted = new Map<string, Pod>();
  const fileOf = ({ metadata }: Pod) => join(manifests, `${metadata.namespace}_${metadata.name}.json`);
  const add = (path: string, pod: Pod) => {
    const manifest = manifestOf(pod);
    if (pod.source === 'file') writeFileSync(fileOf(pod), manifest);
    else objects.put(path, apiPod(pod, JSON.parse(manifest)));
  };
  const change = (path: string, pod: Pod) => {
    const object = objects.get(path);
    if (object === undefined || pod.source === 'file') return;
    const isEnding = pod.metadata.deletionTimestamp !== undefined;
    if (isEnding && object.metadata.deletionTimestamp === undefined)
      objects.put(path, endingPod(object, pod));
  };
  const remove = (path: string, pod: Pod) => {
    if (pod.source === 'file') rmSync(fileOf(pod), { force: true });
    else objects.remove(path);
  };
  podSource.start((pods) => {
    const next = new Map(pods.map((pod) => [podPath(pod.metadata), pod]));
    for (const [path, pod] of wanted)
      if (next.get(path)?.metadata.uid !== pod.metadata.uid) remove(path, pod);
    for (const [path, pod] of next) {
      if (wanted.get(path)?.metadata.uid !== pod.metadata.uid) add(path, pod);
      else change(path, pod);
      known.set(path, pod);
    }
    wanted = next;
  });
  return {
    all: () =>
      [...wanted].map(([path, pod]) => {
        const status = objects.get(path)?.status;
        return { pod, status: status && podStatusSchema.parse(status) };
      }),
    find: (path) => known.get(path),
    statusOf: ({ status }) => podStatusSchema.parse(status),
  };
}

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
function endingPod(object: Json, { metadata }: Pod): Json {
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
