import type { ContainerConfig } from './gen/runtime/v1/api.js';

/** An image's settings for its containers (OCI image spec). */
export interface ImageConfig {
  readonly Env?: readonly string[] | undefined;
  readonly Entrypoint?: readonly string[] | undefined;
  readonly Cmd?: readonly string[] | undefined;
}

/** The search path if neither image nor client sets one. */
export const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The arguments of a container's process (ContainerConfig.command of the CRI). */
export function argsOf({ command, args }: ContainerConfig, { Entrypoint, Cmd }: ImageConfig): string[] {
  if (command.length > 0) return [...command, ...args];
  return [...(Entrypoint ?? []), ...(args.length > 0 ? args : (Cmd ?? []))];
}

/** The first additional group is the user's. */
export function userOf({ linux }: ContainerConfig) {
  const { runAsUser, runAsGroup, supplementalGroups = [] } = linux?.securityContext ?? {};
  const gid = Number(runAsGroup?.value ?? 0);
  const additionalGids = [...new Set([gid, ...supplementalGroups.map(Number)])];
  return { uid: Number(runAsUser?.value ?? 0), gid, additionalGids };
}

export const nameOfVariable = (variable: string): string => variable.split('=', 1)[0] ?? '';
