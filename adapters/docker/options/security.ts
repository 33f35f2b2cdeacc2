import type { HostConfig } from 'dockerode';
import { readJsonFile } from '../../../src/base/input/text-file.js';
import { invalid, unsupported } from '../../../src/cri/errors.js';
import {
  type LinuxContainerSecurityContext,
  type LinuxSandboxSecurityContext,
  type SELinuxOption,
  type SecurityProfile,
  SecurityProfile_ProfileType,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { messageOf } from '../errors.js';

type Security = Pick<
  HostConfig,
  | 'Privileged'
  | 'ReadonlyRootfs'
  | 'CapAdd'
  | 'CapDrop'
  | 'GroupAdd'
  | 'SecurityOpt'
  | 'MaskedPaths'
  | 'ReadonlyPaths'
>;

export async function containerSecurity(
  context: LinuxContainerSecurityContext | undefined,
  podGroups: readonly bigint[],
): Promise<Security> {
  if (context === undefined) return { SecurityOpt: ['seccomp=unconfined'], ...groups(podGroups) };
  const ambient = context.capabilities?.addAmbientCapabilities ?? [];
  if (ambient.length > 0) throw unsupported(`Docker has no ambient capabilities: got ${ambient.join(', ')}`);
  return {
    Privileged: context.privileged,
    ReadonlyRootfs: context.readonlyRootfs,
    ...groups([...context.supplementalGroups, ...podGroups]),
    CapAdd: context.capabilities?.addCapabilities ?? [],
    CapDrop: context.capabilities?.dropCapabilities ?? [],
    SecurityOpt: [
      ...(await profiles(context)),
      ...(context.apparmor === undefined ? oldAppArmor(context.apparmorProfile) : []),
      ...(context.noNewPrivs ? ['no-new-privileges'] : []),
    ],
    ...(context.maskedPaths.length > 0 && { MaskedPaths: context.maskedPaths }),
    ...(context.readonlyPaths.length > 0 && { ReadonlyPaths: context.readonlyPaths }),
  };
}

export async function sandboxSecurity(context: LinuxSandboxSecurityContext | undefined): Promise<Security> {
  if (context === undefined) return {};
  return {
    ReadonlyRootfs: context.readonlyRootfs,
    ...groups(context.supplementalGroups),
    SecurityOpt: await profiles(context),
  };
}

const groups = (ids: readonly bigint[]): Security => (ids.length > 0 ? { GroupAdd: ids.map(String) } : {});

async function profiles(
  context: LinuxContainerSecurityContext | LinuxSandboxSecurityContext,
): Promise<string[]> {
  return [...(await seccomp(context)), ...appArmor(context.apparmor), ...selinux(context.selinuxOptions)];
}

/** Without a profile, a container is unconfined (default of containerd and CRI-O), as is a privileged one. */
async function seccomp(
  context: LinuxContainerSecurityContext | LinuxSandboxSecurityContext,
): Promise<string[]> {
  const profile = context.seccomp;
  if (context.privileged || profile === undefined || profile.profileType === UNCONFINED)
    return ['seccomp=unconfined'];
  if (profile.profileType === SecurityProfile_ProfileType.RuntimeDefault) return [];
  const { localhostRef } = profile;
  try {
    return [`seccomp=${JSON.stringify(readJsonFile(localhostRef))}`];
  } catch (error) {
    throw invalid(`seccomp profile "${localhostRef}" can't be used: ${messageOf(error)}`);
  }
}

const UNCONFINED = SecurityProfile_ProfileType.Unconfined;

function appArmor(profile: SecurityProfile | undefined): string[] {
  if (profile === undefined || profile.profileType === SecurityProfile_ProfileType.RuntimeDefault) return [];
  return [`apparmor=${profile.profileType === UNCONFINED ? 'unconfined' : profile.localhostRef}`];
}

/** The deprecated field: `runtime/default`, `unconfined` or `localhost/NAME`. */
function oldAppArmor(profile: string): string[] {
  if (profile === '' || profile === 'runtime/default') return [];
  return [`apparmor=${profile.replace(/^localhost\//, '')}`];
}

function selinux(options: SELinuxOption | undefined): string[] {
  if (options === undefined) return [];
  const { user, role, type, level } = options;
  return Object.entries({ user, role, type, level }).flatMap(([name, value]) =>
    value === '' ? [] : [`label=${name}:${value}`],
  );
}
