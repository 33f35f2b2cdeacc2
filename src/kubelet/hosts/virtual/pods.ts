import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../api-server/json.js';
import type { ApiObjects } from '../../api-server/objects.js';
import type { Pod } from '../../kubernetes/pod.js';
import { type PodApiStatus, podStatusSchema } from '../../kubernetes/pod-status.js';
import type { PodSource } from '../../pod-ports.js';
import { apiPod, endingPod, podPath } from './api-pod.js';

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
