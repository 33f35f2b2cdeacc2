import { hostname } from 'node:os';
import { NamespaceMode } from '../../src/cri/gen/runtime/v1/api.js';
import type { ContainerSpec } from '../../src/engine/backend.js';
import type { ContainerView, Process, SignalName } from './process/process.js';

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

const NO_SYSCTLS: ReadonlyMap<string, string> = new Map();

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
    sysctls: sysctlsOf(pod.linux?.sysctls ?? {}),
  };
}

/** Most pods have none: ten thousand empty maps would be two megabytes. */
function sysctlsOf(given: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  const entries = Object.entries(given);
  return entries.length === 0 ? NO_SYSCTLS : new Map(entries);
}

/** cri-api Capability: ALL stands for every one; what is dropped goes first, what is added comes back. */
function capabilitiesOf({ config }: ContainerSpec): readonly string[] {
  const context = config.linux?.securityContext;
  if (context?.privileged) return ALL_CAPABILITIES;
  if (context?.capabilities === undefined) return DEFAULT_CAPABILITIES;
  const { addCapabilities = [], dropCapabilities = [], addAmbientCapabilities = [] } = context.capabilities;
  const expand = (names: readonly string[]) =>
    names.flatMap((name) => (name.toUpperCase() === 'ALL' ? ALL_CAPABILITIES : [bare(name)]));
  const dropped = new Set<string>(expand(dropCapabilities));
  const kept = DEFAULT_CAPABILITIES.filter((name) => !dropped.has(name));
  return [...new Set<string>([...kept, ...expand(addCapabilities), ...expand(addAmbientCapabilities)])];
}

/**
 * The container as its processes see it at the moment. A class, not a literal with a getter, because each of those
 * has a hidden class of its own: a kilobyte a container.
 */
export class LiveView implements ContainerView {
  readonly id: string;
  readonly hostname: string;
  readonly ips: readonly string[];
  readonly capabilities: readonly string[];
  readonly privileged: boolean;
  readonly readonlyRootfs: boolean;
  readonly sysctls: ReadonlyMap<string, string>;
  readonly #container: Inside;

  constructor(view: StaticView, container: Inside) {
    this.id = view.id;
    this.hostname = view.hostname;
    this.ips = view.ips;
    this.capabilities = view.capabilities;
    this.privileged = view.privileged;
    this.readonlyRootfs = view.readonlyRootfs;
    this.sysctls = view.sysctls;
    this.#container = container;
  }

  get memoryLimit(): number | undefined {
    return this.#container.memoryLimit;
  }

  processes(): readonly Process[] {
    return this.#container.processes();
  }

  kill(pid: number, signal: SignalName): boolean {
    return this.#container.signal(pid, signal);
  }
}

/** What changes while a container runs. */
export interface Inside {
  readonly memoryLimit: number | undefined;
  processes(): readonly Process[];
  /** False if there is no such process. */
  signal(pid: number, signal: SignalName): boolean;
}

const bare = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');
