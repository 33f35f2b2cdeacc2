import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { ManifestObject } from '../../kubelet/pods/manifest.js';

/** Annotation of the object that shows a static pod in the API; no kubelet runs it (pkg/kubelet/types/constants). */
export const MIRROR = 'kubernetes.io/config.mirror';
/** Annotation of a static pod: the hash of its manifest. */
const HASH = 'kubernetes.io/config.hash';

/** A static pod, and what its file says. */
export interface StaticPod {
  readonly pod: Pod;
  readonly object: ManifestObject;
}

/** Static pods and their mirror pods have the same name: it ends with the name of the node. */
export const fullNameOf = ({
  name,
  namespace = 'default',
}: {
  readonly name: string;
  readonly namespace?: string | undefined;
}): string => `${namespace}/${name}`;

/** What has to be equal in a static pod and its mirror pod (pod_manager.go IsMirrorPodOf). */
export const hashOf = ({ metadata }: Pod): string => metadata.annotations[HASH] ?? '';

/** The object that shows a static pod in the API (mirror_client.go CreateMirrorPod, config/common.go applyDefaults). */
export function mirrorObject({ pod, object }: StaticPod, node: string, nodeUid: string): object {
  const { name, namespace, labels, annotations } = pod.metadata;
  const { uid: _, ...metadata } = object.metadata;
  const tolerations = (object.spec.tolerations ?? []) as readonly object[];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...metadata,
      name,
      namespace,
      labels,
      annotations: { ...annotations, [MIRROR]: annotations[HASH] },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid: nodeUid, controller: true }],
    },
    spec: {
      ...object.spec,
      nodeName: node,
      // Static pods stay when their node has problems.
      tolerations: [...tolerations, { operator: 'Exists', effect: 'NoExecute' }],
    },
  };
}
