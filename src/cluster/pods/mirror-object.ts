import type { ManifestObject } from '../../kubelet/index.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';

/** Annotation of a mirror pod, which no kubelet runs (pkg/kubelet/types/constants). */
export const MIRROR = 'kubernetes.io/config.mirror';
/** Annotation of a static pod: the hash of its manifest. */
const HASH = 'kubernetes.io/config.hash';

export interface StaticPod {
  readonly pod: Pod;
  readonly object: ManifestObject;
}

/** Name of both the static pod and its mirror pod: it ends with the node's name. */
export const fullNameOf = ({
  name,
  namespace = 'default',
}: {
  readonly name: string;
  readonly namespace?: string | undefined;
}): string => `${namespace}/${name}`;

/** Must be equal in a static pod and its mirror pod (pod_manager.go IsMirrorPodOf). */
export const hashOf = ({ metadata }: Pod): string => metadata.annotations[HASH] ?? '';

/** The mirror pod of a static pod (mirror_client.go CreateMirrorPod, config/common.go applyDefaults). */
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
