import { DEFAULT_CAPABILITIES } from '../../../cri/default-capabilities.js';
import {
  type ContainerConfig,
  NamespaceMode,
  type PodSandboxConfig,
  type PodSandboxStatus,
} from '../../../cri/gen/runtime/v1/api.js';
import { filesOf, networkNamespaceOf, PAUSE, podFilesOf, sharedMemoryOf } from '../../../cri/pod-files.js';

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

const prefixed = (names: readonly string[]) =>
  names.map((name) => `CAP_${name.toUpperCase().replace(/^CAP_/, '')}`);

const CAPABILITIES = prefixed(DEFAULT_CAPABILITIES);

const allOf = (names: readonly string[]) => ({ bounding: names, effective: names, permitted: names });

/** A container's capabilities, in the order in which containerd adds and drops them; `usual` are every container's. */
export function capabilitiesOf({ linux }: ContainerConfig, usual: readonly string[] = CAPABILITIES): object {
  const { addCapabilities: added = [], dropCapabilities: dropped = [] } =
    linux?.securityContext?.capabilities ?? {};
  const [add, drop] = [prefixed(added), prefixed(dropped)];
  const all = [...new Set([...(drop.includes('CAP_ALL') ? [] : prefixed(usual)), ...add])];
  return allOf(all.filter((name) => name !== 'CAP_ALL' && !drop.includes(name)));
}

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

const noDevices = [{ allow: false, access: 'rwm' }];

const annotationsOf = ({ id, metadata }: PodSandboxStatus): Record<string, string> => ({
  'io.kubernetes.cri.sandbox-id': id,
  'io.kubernetes.cri.sandbox-name': metadata?.name ?? '',
  'io.kubernetes.cri.sandbox-namespace': metadata?.namespace ?? '',
  'io.kubernetes.cri.sandbox-uid': metadata?.uid ?? '',
});

export interface SpecPod {
  readonly status: PodSandboxStatus;
  readonly pid: number;
}

export interface GivenSpec {
  readonly process?: { readonly terminal?: boolean; readonly env?: readonly string[] };
  readonly root?: { readonly readonly?: boolean };
}

export function containerSpec(
  { process, root }: GivenSpec,
  id: string,
  config: ContainerConfig,
  { status, pid }: SpecPod,
  ociVersion: string,
): Spec {
  const { linux, mounts, metadata, image, tty } = config;
  const { terminal: _, env = [], ...shownProcess } = process ?? {};
  const { maskedPaths = [], readonlyPaths = [], noNewPrivs = false } = linux?.securityContext ?? {};
  const { pid: pidMode, ipc } = linux?.securityContext?.namespaceOptions ?? {};
  const hasOwnHome = config.envs.some(({ key }) => key === 'HOME');
  const namespace = (type: string, file = type) => ({ type, path: `/proc/${pid}/ns/${file}` });
  return {
    ociVersion,
    process: {
      ...(tty && { terminal: true }),
      ...shownProcess,
      // runc adds it when the process starts.
      env: env.filter((variable) => hasOwnHome || !variable.startsWith('HOME=')),
      capabilities: capabilitiesOf(config),
      ...(noNewPrivs && { noNewPrivileges: true }),
      ...(linux?.resources && { oomScoreAdj: Number(linux.resources.oomScoreAdj) }),
    },
    root: root?.readonly ? root : { path: 'rootfs' },
    mounts: [
      ...SYSTEM_MOUNTS,
      mount('/sys/fs/cgroup', 'cgroup', [...CONFINED, 'relatime', 'ro']),
      ...mounts.map(({ containerPath, hostPath, readonly }) =>
        bind(containerPath, hostPath, ['rprivate', readonly ? 'ro' : 'rw']),
      ),
      ...podFilesOf(status.id, ipc).map(({ path, source }) => bind(path, source, ['rprivate', 'rw'])),
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
        pidMode === NamespaceMode.CONTAINER ? { type: 'pid' } : namespace('pid'),
        namespace('ipc'),
        namespace('uts'),
        { type: 'mount' },
        namespace('network', 'net'),
      ],
      ...(maskedPaths.length > 0 && { maskedPaths }),
      ...(readonlyPaths.length > 0 && { readonlyPaths }),
    },
  };
}

function limitsOf({ linux }: ContainerConfig): object {
  if (linux?.resources === undefined) return {};
  const { cpuShares, cpuQuota, cpuPeriod, memoryLimitInBytes } = linux.resources;
  const memory = Number(memoryLimitInBytes);
  const cpu = {
    ...(cpuShares !== 0n && { shares: Number(cpuShares) }),
    ...(cpuQuota !== 0n && { quota: Number(cpuQuota) }),
    ...(cpuPeriod !== 0n && { period: Number(cpuPeriod) }),
  };
  return { memory: memory > 0 ? { limit: memory, swap: memory } : {}, cpu };
}

export interface SpecFacts {
  readonly ociVersion: string;
  /** Sysctls of sandboxes with their own network. */
  readonly sysctls: Readonly<Record<string, string>>;
}

const MASKED = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
  '/proc/scsi',
];
const READONLY = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

export function sandboxSpec(
  config: PodSandboxConfig,
  status: PodSandboxStatus,
  { ociVersion, sysctls }: SpecFacts,
): Spec {
  const { id } = status;
  const { network, pid, ipc } = config.linux?.securityContext?.namespaceOptions ?? {};
  const isOnHost = network === NamespaceMode.NODE;
  const own = { ...(isOnHost ? {} : sysctls), ...config.linux?.sysctls };
  const sysctl = Object.keys(own).length > 0 ? own : undefined;
  const namespaces = [
    ...(pid === NamespaceMode.NODE ? [] : [{ type: 'pid' }]),
    ...(ipc === NamespaceMode.NODE ? [] : [{ type: 'ipc' }]),
    ...(isOnHost ? [] : [{ type: 'uts' }]),
    { type: 'mount' },
    ...(isOnHost ? [] : [{ type: 'network', path: networkNamespaceOf(id) }]),
  ];
  const options = ['ro', ...CONFINED];
  return {
    ociVersion,
    process: {
      user: { uid: 65_535, gid: 65_535 },
      args: ['/pause'],
      env: ['PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
      cwd: '/',
      capabilities: allOf(CAPABILITIES),
      noNewPrivileges: true,
      oomScoreAdj: -998,
    },
    root: { path: 'rootfs', readonly: true },
    ...(!isOnHost && config.hostname !== '' && { hostname: config.hostname }),
    mounts: [
      ...SYSTEM_MOUNTS,
      bind('/dev/shm', sharedMemoryOf(id, ipc), options),
      bind('/etc/resolv.conf', `${filesOf(id)}/resolv.conf`, options),
    ],
    annotations: {
      ...annotationsOf(status),
      'io.kubernetes.cri.container-type': 'sandbox',
      'io.kubernetes.cri.podsandbox.image-name': PAUSE,
      'io.kubernetes.cri.sandbox-log-directory': config.logDirectory,
    },
    linux: {
      ...(sysctl !== undefined && { sysctl }),
      resources: { devices: noDevices, cpu: { shares: 2 } },
      cgroupsPath: `${config.linux?.cgroupParent || '/k8s.io'}/${id}`,
      namespaces,
      maskedPaths: MASKED,
      readonlyPaths: READONLY,
    },
  };
}
