import type { SandboxRuntime, SandboxSpec } from '../../engine/backend.js';
import { PodSandbox } from '../gen/nri/v1alpha1/api.js';
import { fromCri } from './resources.js';

/** A pod as plugins see it (containerd, internal/cri/nri). */
export function podOf(spec: SandboxSpec, { ips }: SandboxRuntime, pid: number): PodSandbox {
  const { id, runtimeHandler } = spec;
  const { metadata, labels, annotations, linux } = spec.config;
  const name = metadata?.name ?? '';
  const uid = metadata?.uid ?? '';
  const namespace = metadata?.namespace ?? '';
  return PodSandbox.fromPartial({
    id,
    name,
    uid,
    namespace,
    labels: { ...labels, 'io.cri-containerd.kind': 'sandbox' },
    annotations: { ...annotations, ...ownAnnotations('sandbox', { id, name, uid, namespace }) },
    runtimeHandler,
    linux: {
      podOverhead: fromCri(linux?.overhead),
      podResources: fromCri(linux?.resources),
      cgroupParent: linux?.cgroupParent ?? '',
      cgroupsPath: cgroupsPathOf(linux?.cgroupParent ?? '', id),
      namespaces: ['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
      resources: { cpu: { shares: { value: 2n } }, devices: [{ allow: false, access: 'rwm' }] },
    },
    pid,
    ips: [...ips],
  });
}

/** What containerd adds to the annotations of the OCI spec. */
export const ownAnnotations = (
  type: 'sandbox' | 'container',
  pod: Pick<PodSandbox, 'id' | 'name' | 'uid' | 'namespace'>,
): Record<string, string> => ({
  'io.kubernetes.cri.container-type': type,
  'io.kubernetes.cri.sandbox-id': pod.id,
  'io.kubernetes.cri.sandbox-namespace': pod.namespace,
  'io.kubernetes.cri.sandbox-uid': pod.uid,
  'io.kubernetes.cri.sandbox-name': pod.name,
});

/** Where the cgroup of a pod or container is: with systemd as `SLICE:PREFIX:NAME`. */
export function cgroupsPathOf(parent: string, id: string): string {
  if (parent === '') return '';
  const slice = parent.split('/').at(-1) ?? '';
  return slice.endsWith('.slice') ? `${slice}:cri-containerd:${id}` : `${parent.replace(/\/$/, '')}/${id}`;
}
