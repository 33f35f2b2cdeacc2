import { hostname } from 'node:os';
import { NamespaceMode } from '../../src/cri/gen/runtime/v1/api.js';
import type { ContainerSpec } from '../../src/engine/backend.js';
import type { ContainerView } from './process/process.js';

/** What containers may do unless told otherwise (containerd pkg/oci, defaultUnixCaps). */
const DEFAULT_CAPABILITIES = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FSETID',
  'FOWNER',
  'MKNOD',
  'NET_RAW',
  'SETGID',
  'SETUID',
  'SETFCAP',
  'SETPCAP',
  'NET_BIND_SERVICE',
  'SYS_CHROOT',
  'KILL',
  'AUDIT_WRITE',
] as const;

const ALL_CAPABILITIES = [
  ...DEFAULT_CAPABILITIES,
  'DAC_READ_SEARCH',
  'LINUX_IMMUTABLE',
  'NET_BROADCAST',
  'NET_ADMIN',
  'IPC_LOCK',
  'IPC_OWNER',
  'SYS_MODULE',
  'SYS_RAWIO',
  'SYS_PTRACE',
  'SYS_PACCT',
  'SYS_ADMIN',
  'SYS_BOOT',
  'SYS_NICE',
  'SYS_RESOURCE',
  'SYS_TIME',
  'SYS_TTY_CONFIG',
  'LEASE',
  'AUDIT_CONTROL',
  'MAC_OVERRIDE',
  'MAC_ADMIN',
  'SYSLOG',
  'WAKE_ALARM',
  'BLOCK_SUSPEND',
  'AUDIT_READ',
  'PERFMON',
  'BPF',
  'CHECKPOINT_RESTORE',
] as const;

/** The part of the view that the configuration alone says. */
export type StaticView = Omit<ContainerView, 'processes' | 'kill' | 'memoryLimit'>;

/** What a container's configuration looks like from inside it. */
export function viewOf(spec: ContainerSpec, ip: string | undefined): StaticView {
  const pod = spec.sandboxConfig;
  const context = spec.config.linux?.securityContext;
  const isHostNetwork = pod.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
  return {
    id: spec.id,
    hostname: isHostNetwork ? hostname() : pod.hostname || spec.sandboxId.slice(0, 12),
    ips: ip === undefined ? [] : [ip],
    capabilities: capabilitiesOf(spec),
    privileged: context?.privileged ?? false,
    readonlyRootfs: context?.readonlyRootfs ?? false,
    sysctls: new Map(Object.entries(pod.linux?.sysctls ?? {})),
  };
}

/** cri-api Capability: ALL stands for every one; what is dropped goes first, what is added comes back. */
function capabilitiesOf({ config }: ContainerSpec): readonly string[] {
  const context = config.linux?.securityContext;
  if (context?.privileged) return ALL_CAPABILITIES;
  const {
    addCapabilities = [],
    dropCapabilities = [],
    addAmbientCapabilities = [],
  } = context?.capabilities ?? {};
  const expand = (names: readonly string[]) =>
    names.flatMap((name) => (name.toUpperCase() === 'ALL' ? ALL_CAPABILITIES : [bare(name)]));
  const dropped = new Set<string>(expand(dropCapabilities));
  const kept = DEFAULT_CAPABILITIES.filter((name) => !dropped.has(name));
  return [...new Set<string>([...kept, ...expand(addCapabilities), ...expand(addAmbientCapabilities)])];
}

const bare = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');
