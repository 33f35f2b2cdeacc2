import { type ContainerConfig, MountPropagation } from '../../../../cri/gen/runtime/v1/api.js';
import { filesOf } from './paths.js';

export interface SpecMount {
  readonly destination: string;
  readonly type: string;
  readonly source: string;
  readonly options: readonly string[];
}

const mount = (destination: string, type: string, source: string, ...options: string[]): SpecMount => ({
  destination,
  type,
  source,
  options,
});

const CONFINED = ['nosuid', 'noexec', 'nodev'];
const system = [
  mount('/proc', 'proc', 'proc', ...CONFINED),
  mount('/dev', 'tmpfs', 'tmpfs', 'nosuid', 'strictatime', 'mode=755', 'size=65536k'),
  mount(
    '/dev/pts',
    'devpts',
    'devpts',
    'nosuid',
    'noexec',
    'newinstance',
    'ptmxmode=0666',
    'mode=0620',
    'gid=5',
  ),
  mount('/dev/mqueue', 'mqueue', 'mqueue', ...CONFINED),
  mount('/sys', 'sysfs', 'sysfs', ...CONFINED, 'ro'),
  mount('/sys/fs/cgroup', 'cgroup', 'cgroup', ...CONFINED, 'relatime', 'ro'),
];

/** The mounts of a container: every container's, the files of its pod, and those of its config. */
export function mountsOf(id: string, config: ContainerConfig, sandboxId: string): SpecMount[] {
  const access = config.linux?.securityContext?.readonlyRootfs ? 'ro' : 'rw';
  const files = filesOf(sandboxId);
  const taken = new Set(config.mounts.map(({ containerPath }) => containerPath));
  return [
    ...system.filter(({ destination }) => !taken.has(destination)),
    mount('/dev/shm', 'bind', `${files}/shm`, 'rw', 'bind'),
    mount('/etc/resolv.conf', 'bind', `${files}/resolv.conf`, access, 'bind', 'nodev', 'nosuid', 'noexec'),
    mount('/etc/hostname', 'bind', `${files}/hostname`, access, 'bind'),
    mount('/run/.containerenv', 'bind', `${files}/.containerenv`, access, 'bind'),
    ...(needsPasswd(config)
      ? [mount('/etc/passwd', 'bind', `${filesOf(id)}/passwd`, 'rw', 'bind', 'nodev', 'nosuid', 'noexec')]
      : []),
    ...config.mounts.map(({ containerPath, hostPath, propagation, readonly }) =>
      mount(
        containerPath,
        'bind',
        hostPath,
        'rbind',
        propagations[propagation] ?? 'rprivate',
        readonly ? 'ro' : 'rw',
        'bind',
      ),
    ),
  ];
}

const KNOWN: readonly bigint[] = [0n, 65_534n];

/** A user that the image lacks gets an entry in a file of the container (utils.GeneratePasswd). */
const needsPasswd = ({ linux, mounts }: ContainerConfig): boolean => {
  const uid = linux?.securityContext?.runAsUser?.value;
  if (uid === undefined || KNOWN.includes(uid)) return false;
  return !mounts.some(({ containerPath }) => containerPath === '/etc/passwd' || containerPath === '/etc');
};

const propagations: Readonly<Partial<Record<MountPropagation, string>>> = {
  [MountPropagation.PROPAGATION_BIDIRECTIONAL]: 'rshared',
  [MountPropagation.PROPAGATION_HOST_TO_CONTAINER]: 'rslave',
};
