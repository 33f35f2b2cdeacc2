import { hostname, networkInterfaces } from 'node:os';
import { NamespaceMode } from '../../src/cri/gen/runtime/v1/api.js';
import type { ContainerSpec, SandboxSpec } from '../../src/engine/backend.js';
import type { ContainerSecurity, ContainerView, Process, SignalName } from './process/process.js';
import { seccompOf } from './seccomp.js';

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

/** What the containers of a pod share. */
export interface PodView {
  /** Of their UTS namespace: a process that may changes it for all of them. */
  hostname: string;
  readonly ips: readonly string[];
  /** Whether an address is a pod's. */
  hasAddress(address: string): boolean;
}

export function podViewOf(
  { id, config }: SandboxSpec,
  ip: string | undefined,
  hasAddress: PodView['hasAddress'],
): PodView {
  const isHostNetwork = config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
  return {
    hostname: isHostNetwork ? hostname() : config.hostname || id.slice(0, 12),
    ips: ip === undefined ? [] : [ip],
    hasAddress,
  };
}

/** The part of the view that the configuration alone says. */
export type StaticView = Pick<
  ContainerView,
  'id' | 'capabilities' | 'privileged' | 'readonlyRootfs' | 'sysctls' | 'security'
> & { readonly pod: PodView };

const UNCONFINED: ContainerSecurity = { noNewPrivs: false, seccomp: undefined };

/** What a container's configuration looks like from inside it. Throws `invalid` for one that can't be used. */
export function viewOf(spec: ContainerSpec, pod: PodView): StaticView {
  const context = spec.config.linux?.securityContext;
  const seccomp = seccompOf(context);
  const noNewPrivs = context?.noNewPrivs ?? false;
  return {
    id: spec.id,
    pod,
    capabilities: capabilitiesOf(spec),
    privileged: context?.privileged ?? false,
    readonlyRootfs: context?.readonlyRootfs ?? false,
    sysctls: sysctlsOf(spec.sandboxConfig.linux?.sysctls ?? {}),
    security: noNewPrivs || seccomp ? { noNewPrivs, seccomp } : UNCONFINED,
  };
}

/** 127.0.0.1 and the addresses of the host's interfaces. */
const isNodeAddress = (address: string): boolean =>
  Object.values(networkInterfaces()).some((all) => all?.some((one) => one.address === address));

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
  readonly ips: readonly string[];
  readonly capabilities: readonly string[];
  readonly privileged: boolean;
  readonly readonlyRootfs: boolean;
  readonly sysctls: ReadonlyMap<string, string>;
  readonly security: ContainerSecurity;
  readonly #pod: PodView;
  readonly #container: Inside;

  constructor(view: StaticView, container: Inside) {
    this.id = view.id;
    this.ips = view.pod.ips;
    this.capabilities = view.capabilities;
    this.privileged = view.privileged;
    this.readonlyRootfs = view.readonlyRootfs;
    this.sysctls = view.sysctls;
    this.security = view.security;
    this.#pod = view.pod;
    this.#container = container;
  }

  get hostname(): string {
    return this.#pod.hostname;
  }

  setHostname(name: string): void {
    this.#pod.hostname = name;
  }

  reaches(address: string): boolean {
    return isNodeAddress(address) || this.#pod.hasAddress(address);
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
