import { NamespaceMode } from './gen/runtime/v1/api.js';

/** A mount that the runtime adds to a container. */
export interface PodFile {
  readonly path: string;
  readonly source: string;
}

const FILES = '/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes';
const STATE = '/run/containerd/io.containerd.grpc.v1.cri/sandboxes';

/** containerd's directory with the files of a sandbox. */
export const filesOf = (sandboxId: string): string => `${FILES}/${sandboxId}`;

export const sharedMemoryOf = (sandboxId: string, ipc: NamespaceMode | undefined): string =>
  ipc === NamespaceMode.NODE ? '/dev/shm' : `${STATE}/${sandboxId}/shm`;

/** The files of its pod that containerd mounts into each container, in its order. */
export const podFilesOf = (sandboxId: string, ipc: NamespaceMode | undefined): PodFile[] => [
  ...['hostname', 'hosts', 'resolv.conf'].map((name) => ({
    path: `/etc/${name}`,
    source: `${filesOf(sandboxId)}/${name}`,
  })),
  { path: '/dev/shm', source: sharedMemoryOf(sandboxId, ipc) },
];

export const networkNamespaceOf = (sandboxId: string): string =>
  `/var/run/netns/cni-${sandboxId.slice(0, 8)}`;

/** The default image of sandboxes. */
export const PAUSE = 'registry.k8s.io/pause:3.10';
