import { type ContainerConfig, SecurityProfile_ProfileType } from '../../../../cri/gen/runtime/v1/api.js';
import type { ContainerSpec } from '../../../engine/backend.js';
import type { PluginView } from '../../../nri/rules.js';
import { filesOf, rootOf } from './paths.js';

export type Pod = Parameters<PluginView['container']>[1];

/** CRI-O's annotations of a container: the pod's, its own, the client's, and all labels (SpecAddAnnotations). */
export function annotationsOf(spec: ContainerSpec, pod: Pod): Record<string, string> {
  const { id, config, sandboxConfig, image, logPath } = spec;
  const own = {
    Image: config.image?.image ?? '',
    ImageName: image.repoTags[0] ?? '',
    ImageRef: image.id.replace(/^sha256:/, ''),
    ...(image.repoDigests.length > 0 && { ImageRepoDigests: image.repoDigests.join(',') }),
    Name: nameOf(config.metadata?.name, sandboxConfig.metadata, config.metadata?.attempt),
    ContainerID: id,
    SandboxID: pod.id,
    SandboxName: nameOf(undefined, sandboxConfig.metadata, sandboxConfig.metadata?.attempt),
    ContainerType: 'container',
    LogPath: logPath ?? `/var/log/crio/pods/${pod.id}/${id}.log`,
    TTY: String(config.tty),
    Stdin: String(config.stdin),
    StdinOnce: String(config.stdinOnce),
    ResolvPath: `${filesOf(pod.id)}/resolv.conf`,
    MountPoint: rootOf(id),
    SeccompProfilePath: seccompOf(config),
    Created: new Date(Number(spec.createdAt / 1_000_000n)).toISOString(),
    Metadata: JSON.stringify({ name: config.metadata?.name, attempt: config.metadata?.attempt || undefined }),
    Labels: json(config.labels),
    Volumes: JSON.stringify(volumesOf(config)),
    Annotations: json(config.annotations),
  };
  return {
    ...pod.annotations,
    ...Object.fromEntries(Object.entries(own).map(([key, value]) => [`io.kubernetes.cri-o.${key}`, value])),
    'io.container.manager': 'cri-o',
    'platform-runtime-path.crio.io': '',
    ...config.annotations,
    ...config.labels,
    ...Object.fromEntries(pod.ips.map((ip, index) => [`io.kubernetes.cri-o.IP.${index}`, ip])),
  };
}

/** Without a security context, the default profile; with a context without a profile, none. */
function seccompOf({ linux }: ContainerConfig): string {
  const security = linux?.securityContext;
  if (security === undefined) return 'RuntimeDefault';
  const { profileType, localhostRef = '' } = security.seccomp ?? {};
  if (profileType === SecurityProfile_ProfileType.Localhost) return localhostRef;
  return profileType === undefined ? '' : SecurityProfile_ProfileType[profileType];
}

const nameOf = (
  name: string | undefined,
  pod: { readonly name: string; readonly namespace: string; readonly uid: string } | undefined,
  attempt: number | undefined,
): string =>
  ['k8s', ...(name === undefined ? [] : [name]), pod?.name, pod?.namespace, pod?.uid, attempt ?? 0].join('_');

/** Go writes maps sorted, and null for a missing one. */
const json = (map: Readonly<Record<string, string>>): string => {
  const entries = Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? 'null' : JSON.stringify(Object.fromEntries(entries));
};

const volumesOf = ({ mounts }: ContainerConfig) =>
  mounts.map(({ containerPath, hostPath, readonly, recursiveReadOnly, propagation, selinuxRelabel }) => ({
    container_path: containerPath,
    host_path: hostPath,
    readonly,
    recursive_read_only: recursiveReadOnly,
    propagation,
    selinux_relabel: selinuxRelabel,
  }));
