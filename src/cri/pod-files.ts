import { NamespaceMode } from './gen/runtime/v1/api.js';

/** A mount of a container that its client did not ask for. */
export interface PodFile {
  readonly path: string;
  readonly source: string;
}

const FILES = '/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes';
const STATE = '/run/containerd/io.containerd.grpc.v1.cri/sandboxes';

/** The directory of containerd with the files of a sandbox. */
export const filesOf = (sandboxId: string): string => `${FILES}/${sandboxId}`;

/** Where the shared memory of a sandbox is. */
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

/** The file that holds a sandbox's network namespace. */
export const networkNamespaceOf = (sandboxId: string): string =>
  `/var/run/netns/cni-${sandboxId.slice(0, 8)}`;

/** The image of sandboxes, by default. */
export const PAUSE = 'registry.k8s.io/pause:3.10';
