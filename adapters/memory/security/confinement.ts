import { DEFAULT_CAPABILITIES } from '../../../src/cri/default-capabilities.js';
import type { LinuxContainerSecurityContext } from '../../../src/cri/gen/runtime/v1/api.js';
import type { Confinement, ContainerSecurity } from '../../../src/linux/process/process.js';
import { seccompOf } from './seccomp.js';

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

const UNCONFINED: ContainerSecurity = { noNewPrivs: false, seccomp: undefined };

export const FREE: Confinement = { capabilities: ALL_CAPABILITIES, security: UNCONFINED, oomScore: 0 };

/** For a sandbox's own process, which the kernel kills last, as with containerd (defaultSandboxOOMAdj). */
export const USUAL: Confinement = {
  capabilities: DEFAULT_CAPABILITIES,
  security: UNCONFINED,
  oomScore: -998,
};

/** Throws `invalid` for a security context that can't be used. */
export function confinementOf(
  context: LinuxContainerSecurityContext | undefined,
): Omit<Confinement, 'oomScore'> {
  const seccomp = seccompOf(context);
  const noNewPrivs = context?.noNewPrivs ?? false;
  return {
    capabilities: capabilitiesOf(context),
    security: noNewPrivs || seccomp ? { noNewPrivs, seccomp } : UNCONFINED,
  };
}

/** cri-api Capability: ALL means every capability; drops apply first, then additions. */
function capabilitiesOf(context: LinuxContainerSecurityContext | undefined): readonly string[] {
  if (context?.privileged) return ALL_CAPABILITIES;
  if (context?.capabilities === undefined) return DEFAULT_CAPABILITIES;
  const { addCapabilities = [], dropCapabilities = [], addAmbientCapabilities = [] } = context.capabilities;
  const expand = (names: readonly string[]) =>
    names.flatMap((name) => (name.toUpperCase() === 'ALL' ? ALL_CAPABILITIES : [bare(name)]));
  const dropped = new Set<string>(expand(dropCapabilities));
  const kept = DEFAULT_CAPABILITIES.filter((name) => !dropped.has(name));
  return [...new Set<string>([...kept, ...expand(addCapabilities), ...expand(addAmbientCapabilities)])];
}

const bare = (name: string): string => name.toUpperCase().replace(/^CAP_/, '');
