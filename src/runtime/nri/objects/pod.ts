import { NamespaceMode } from '../../../cri/gen/runtime/v1/api.js';
import { networkNamespaceOf, PAUSE } from '../../../cri/pod-files.js';
import type { SandboxRuntime, SandboxSpec } from '../../engine/backend.js';
import { PodSandbox } from '../gen/nri/v1alpha1/api.js';
import { fromCri } from './resources.js';

/** A pod as plugins see it (containerd, internal/cri/nri). */
export function podOf(spec: SandboxSpec, { ips }: SandboxRuntime, pid: number): PodSandbox {
  const { id, runtimeHandler } = spec;
  const { metadata, labels, annotations, linux, logDirectory } = spec.config;
  const isOnHost = linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
  const name = metadata?.name ?? '';
  const uid = metadata?.uid ?? '';
  const namespace = metadata?.namespace ?? '';
  return PodSandbox.fromPartial({
    id,
    name,
    uid,
    namespace,
    labels: { ...labels, 'io.cri-containerd.kind': 'sandbox', oci_runtime_type: 'io.containerd.runc.v2' },
    annotations: {
      ...annotations,
      ...ownAnnotations('sandbox', { id, name, uid, namespace }),
      'io.kubernetes.cri.podsandbox.image-name': PAUSE,
      'io.kubernetes.cri.sandbox-log-directory': logDirectory,
    },
    runtimeHandler,
    linux: {
      podOverhead: fromCri(linux?.overhead),
      podResources: fromCri(linux?.resources),
      cgroupParent: linux?.cgroupParent ?? '',
      cgroupsPath: cgroupsPathOf(linux?.cgroupParent ?? '', id),
      namespaces: [
        ...['pid', 'ipc', 'uts', 'mount'].map((type) => ({ type })),
        ...(isOnHost ? [] : [{ type: NETWORK, path: networkNamespaceOf(id) }]),
      ],
      resources: { cpu: { shares: { value: 2n } }, devices: [{ allow: false, access: 'rwm' }] },
    },
    pid,
    ips: [...ips],
  });
}

const NETWORK = 'network';

/** A stopped pod: it has no process; the notified plugins still see its network. */
export const stoppedPod = (pod: PodSandbox, isOver = false): PodSandbox => ({
  ...pod,
  pid: 0,
  ...(pod.linux && {
    linux: {
      ...pod.linux,
      namespaces: pod.linux.namespaces.filter(({ type }) => !isOver || type !== NETWORK),
    },
  }),
});

/** containerd's own annotations in the OCI spec. */
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

/** The cgroup of a pod or container: with systemd as `SLICE:PREFIX:NAME`. */
export function cgroupsPathOf(parent: string, id: string): string {
  if (parent === '') return `/k8s.io/${id}`;
  const slice = parent.split('/').at(-1) ?? '';
  return slice.endsWith('.slice') ? `${slice}:cri-containerd:${id}` : `${parent.replace(/\/$/, '')}/${id}`;
}
