import {
  argsOf,
  DEFAULT_PATH,
  type ImageConfig,
  nameOfVariable,
  userOf,
} from '../../../cri/container-process.js';
import { type ContainerConfig, MountPropagation, NamespaceMode } from '../../../cri/gen/runtime/v1/api.js';
import { podFilesOf } from '../../../cri/pod-files.js';
import type { Backend, ContainerSpec } from '../../engine/backend.js';
import {
  Container,
  ContainerState,
  LinuxContainer,
  type Mount,
  type PodSandbox,
} from '../gen/nri/v1alpha1/api.js';
import { cgroupsPathOf, ownAnnotations } from './pod.js';
import { inSpec } from './resources.js';

/** Returns the image's config; empty if the backend does not know it. */
export async function imageConfigOf({ images }: Backend, { image }: ContainerSpec): Promise<ImageConfig> {
  const { imageSpec } = await images.inspect(image.id).catch(() => ({ imageSpec: undefined }));
  return (imageSpec as { config?: ImageConfig } | undefined)?.config ?? {};
}

/** A container before its creation, as plugins of containerd see it. */
export function containerOf(spec: ContainerSpec, pod: PodSandbox, image: ImageConfig): Container {
  const { id, sandboxId, config } = spec;
  const name = config.metadata?.name ?? '';
  const imageName = imageNameOf(spec);
  return Container.fromPartial({
    id,
    podSandboxId: sandboxId,
    name,
    state: ContainerState.CONTAINER_UNKNOWN,
    labels: { ...config.labels, 'io.cri-containerd.kind': 'container' },
    annotations: specAnnotations(spec, pod),
    args: argsOf(config, image),
    env: envOf(spec, image),
    mounts: mountsOf(config, sandboxId),
    linux: linuxOf(spec, pod),
    CDIDevices: config.CDIDevices.map((device) => ({ name: device.name })),
    user: userOf(config),
    image: {
      name: imageName,
      digest: spec.image.repoDigests[0]?.split('@')[1] ?? '',
      configDigest: spec.image.id,
    },
  });
}

const imageNameOf = ({ image, config }: ContainerSpec): string =>
  image.repoTags[0] ?? config.image?.image ?? '';

/** containerd's own annotations of a container's OCI spec. */
const specAnnotations = (spec: ContainerSpec, pod: PodSandbox): Record<string, string> => ({
  ...ownAnnotations('container', pod),
  'io.kubernetes.cri.container-name': spec.config.metadata?.name ?? '',
  'io.kubernetes.cri.image-name': imageNameOf(spec),
});

/** The last variable of a name counts. */
function envOf({ config, sandboxConfig }: ContainerSpec, { Env = [] }: ImageConfig): string[] {
  const given = config.envs.map(({ key, value }) => `${key}=${value.toString()}`);
  const hostname = sandboxConfig.hostname === '' ? [] : [`HOSTNAME=${sandboxConfig.hostname}`];
  const all = [DEFAULT_PATH, ...(config.tty ? ['TERM=xterm'] : []), ...hostname, ...Env, ...given];
  const byName = new Map(all.map((variable) => [nameOfVariable(variable), variable]));
  return [...byName.values()];
}

function linuxOf({ id, config, sandboxConfig }: ContainerSpec, pod: PodSandbox): LinuxContainer {
  const resources = config.linux?.resources;
  const security = config.linux?.securityContext;
  const seccomp = security?.seccomp;
  const shared = (type: string, file: string) => ({ type, path: `/proc/${pod.pid}/ns/${file}` });
  const hostNetwork = security?.namespaceOptions?.network === NamespaceMode.NODE;
  return LinuxContainer.fromPartial({
    namespaces: [
      security?.namespaceOptions?.pid === NamespaceMode.CONTAINER ? { type: 'pid' } : shared('pid', 'pid'),
      shared('ipc', 'ipc'),
      shared('uts', 'uts'),
      { type: 'mount' },
      ...(hostNetwork ? [] : [shared('network', 'net')]),
    ],
    resources: inSpec(resources),
    oomScoreAdj: resources && { value: resources.oomScoreAdj },
    cgroupsPath: cgroupsPathOf(sandboxConfig.linux?.cgroupParent ?? '', id),
    seccompProfile: seccomp && {
      profileType: Number(seccomp.profileType),
      localhostRef: seccomp.localhostRef,
    },
    sysctl: {},
  });
}

/** The mounts of every container (containerd pkg/oci, mounts.go), those of its config, and the files of its pod. */
function mountsOf({ mounts, linux }: ContainerConfig, sandboxId: string): Mount[] {
  const system = defaultMounts.map(([destination, type, source, ...options]) => ({
    destination,
    type,
    source,
    options,
  }));
  const given = mounts.map((mount) => ({
    destination: mount.containerPath,
    type: 'bind',
    source: mount.hostPath,
    options: ['rbind', propagation(mount.propagation), mount.readonly ? 'ro' : 'rw'],
  }));
  const taken = new Set(given.map(({ destination }) => destination));
  const files = podFilesOf(sandboxId, linux?.securityContext?.namespaceOptions?.ipc).map(
    ({ path: destination, source }) => ({ destination, type: 'bind', source, options: POD_FILE }),
  );
  return [...system, ...given, ...files].filter(
    (each) => given.includes(each) || !taken.has(each.destination),
  );
}

const POD_FILE = ['rbind', 'rprivate', 'rw'];

const propagations: Readonly<Partial<Record<MountPropagation, string>>> = {
  [MountPropagation.PROPAGATION_BIDIRECTIONAL]: 'rshared',
  [MountPropagation.PROPAGATION_HOST_TO_CONTAINER]: 'rslave',
};
const propagation = (given: MountPropagation): string => propagations[given] ?? 'rprivate';

const defaultMounts = [
  ['/proc', 'proc', 'proc', 'nosuid', 'noexec', 'nodev'],
  ['/dev', 'tmpfs', 'tmpfs', 'nosuid', 'strictatime', 'mode=755', 'size=65536k'],
  ['/dev/pts', 'devpts', 'devpts', 'nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', 'gid=5'],
  ['/dev/mqueue', 'mqueue', 'mqueue', 'nosuid', 'noexec', 'nodev'],
  ['/sys', 'sysfs', 'sysfs', 'nosuid', 'noexec', 'nodev', 'ro'],
  ['/sys/fs/cgroup', 'cgroup', 'cgroup', 'nosuid', 'noexec', 'nodev', 'relatime', 'ro'],
] as const;
