import { DEFAULT_CAPABILITIES } from '../../cri/default-capabilities.js';
import type { ContainerConfig, PodSandboxConfig, PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';

/** The parts of an OCI runtime spec that containerd writes for each container (its pkg/oci, and runc's defaults). */
export interface Spec {
  readonly ociVersion: string;
  readonly process: object;
  readonly root: object;
  readonly hostname?: string;
  readonly mounts: readonly object[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly linux: object;
}

const CAPABILITIES = DEFAULT_CAPABILITIES.map((name) => `CAP_${name}`);

const capabilities = { bounding: CAPABILITIES, effective: CAPABILITIES, permitted: CAPABILITIES };

const CONFINED = ['nosuid', 'noexec', 'nodev'];
const mount = (destination: string, type: string, options: readonly string[], source = type) => ({
  destination,
  type,
  source,
  options,
});
const bind = (destination: string, source: string, options: readonly string[]) =>
  mount(destination, 'bind', ['rbind', ...options], source);

const SYSTEM_MOUNTS = [
  mount('/proc', 'proc', CONFINED),
  mount('/dev', 'tmpfs', ['nosuid', 'strictatime', 'mode=755', 'size=65536k']),
  mount('/dev/pts', 'devpts', ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5']),
  mount('/dev/mqueue', 'mqueue', CONFINED),
  mount('/sys', 'sysfs', [...CONFINED, 'ro']),
];

const filesOf = (id: string) => `/var/lib/containerd/io.containerd.grpc.v1.cri/sandboxes/${id}`;
const sharedMemoryOf = (id: string) => `/run/containerd/io.containerd.grpc.v1.cri/sandboxes/${id}/shm`;
const noDevices = [{ allow: false, access: 'rwm' }];

const annotationsOf = ({ id, metadata }: PodSandboxStatus): Record<string, string> => ({
  'io.kubernetes.cri.sandbox-id': id,
  'io.kubernetes.cri.sandbox-name': metadata?.name ?? '',
  'io.kubernetes.cri.sandbox-namespace': metadata?.namespace ?? '',
  'io.kubernetes.cri.sandbox-uid': metadata?.uid ?? '',
});

/** What the pod of a container is, and its process id. */
export interface SpecPod {
  readonly status: PodSandboxStatus;
  readonly pid: number;
}

/** Of a container; `process` and `root` are the backend's. */
export function containerSpec(
  { process, root }: { readonly process?: object; readonly root?: object },
  id: string,
  config: ContainerConfig,
  { status, pid }: SpecPod,
  ociVersion: string,
): Spec {
  const files = filesOf(status.id);
  const { linux, mounts, metadata, image } = config;
  const namespace = (type: string, file = type) => ({ type, path: `/proc/${pid}/ns/${file}` });
  const isOnHost = status.linux?.namespaces?.options?.network === 2;
  return {
    ociVersion,
    process: { ...process, capabilities, oomScoreAdj: Number(linux?.resources?.oomScoreAdj ?? 0n) },
    root: root ?? { path: 'rootfs' },
    mounts: [
      ...SYSTEM_MOUNTS,
      mount('/sys/fs/cgroup', 'cgroup', [...CONFINED, 'relatime', 'ro']),
      ...mounts.map(({ containerPath, hostPath, readonly }) =>
        bind(containerPath, hostPath, ['rprivate', readonly ? 'ro' : 'rw']),
      ),
      ...['hostname', 'hosts', 'resolv.conf'].map((name) =>
        bind(`/etc/${name}`, `${files}/${name}`, ['rprivate', 'rw']),
      ),
      bind('/dev/shm', sharedMemoryOf(status.id), ['rprivate', 'rw']),
    ],
    annotations: {
      ...annotationsOf(status),
      'io.kubernetes.cri.container-name': metadata?.name ?? '',
      'io.kubernetes.cri.container-type': 'container',
      'io.kubernetes.cri.image-name': image?.image ?? '',
    },
    linux: {
      resources: { devices: noDevices, ...limitsOf(config) },
      cgroupsPath: `/k8s.io/${id}`,
      namespaces: [
        namespace('pid'),
        namespace('ipc'),
        ...(isOnHost ? [] : [namespace('uts')]),
        { type: 'mount' },
        ...(isOnHost ? [] : [namespace('network', 'net')]),
      ],
    },
  };
}

function limitsOf({ linux }: ContainerConfig): object {
  const { cpuShares = 0n, cpuQuota = 0n, cpuPeriod = 0n, memoryLimitInBytes = 0n } = linux?.resources ?? {};
  const memory = Number(memoryLimitInBytes);
  const cpu = {
    ...(cpuShares !== 0n && { shares: Number(cpuShares) }),
    ...(cpuQuota !== 0n && { quota: Number(cpuQuota) }),
    ...(cpuPeriod !== 0n && { period: Number(cpuPeriod) }),
  };
  return { ...(memory > 0 && { memory: { limit: memory, swap: memory } }), cpu };
}

/** Of a sandbox's own process. */
export function sandboxSpec(config: PodSandboxConfig, status: PodSandboxStatus, ociVersion: string): Spec {
  const { id } = status;
  const isOnHost = config.linux?.securityContext?.namespaceOptions?.network === 2;
  const kinds = isOnHost ? ['pid', 'ipc', 'mount'] : ['pid', 'ipc', 'uts', 'mount', 'network'];
  const options = ['ro', ...CONFINED];
  return {
    ociVersion,
    process: {
      user: { uid: 65_535, gid: 65_535 },
      args: ['/pause'],
      cwd: '/',
      capabilities,
      noNewPrivileges: true,
      oomScoreAdj: -998,
    },
    root: { path: 'rootfs', readonly: true },
    ...(!isOnHost && { hostname: config.hostname }),
    mounts: [
      ...SYSTEM_MOUNTS,
      bind('/dev/shm', sharedMemoryOf(id), options),
      bind('/etc/resolv.conf', `${filesOf(id)}/resolv.conf`, options),
    ],
    annotations: {
      ...annotationsOf(status),
      'io.kubernetes.cri.container-type': 'sandbox',
      'io.kubernetes.cri.podsandbox.image-name': PAUSE,
      'io.kubernetes.cri.sandbox-log-directory': config.logDirectory,
    },
    linux: {
      resources: { devices: noDevices, cpu: { shares: 2 } },
      cgroupsPath: `${config.linux?.cgroupParent || '/k8s.io'}/${id}`,
      namespaces: kinds.map((type) => ({ type })),
    },
  };
}

/** The image of sandboxes, by default. */
export const PAUSE = 'registry.k8s.io/pause:3.10';
