import type { ContainerConfig } from './gen/runtime/v1/api.js';

/** What an image says of its containers, as the OCI image spec has it. */
export interface ImageConfig {
  readonly Env?: readonly string[] | undefined;
  readonly Entrypoint?: readonly string[] | undefined;
  readonly Cmd?: readonly string[] | undefined;
}

/** The search path of a container whose image and client name none. */
export const DEFAULT_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The arguments of a container's process (ContainerConfig.command of the CRI). */
export function argsOf({ command, args }: ContainerConfig, { Entrypoint, Cmd }: ImageConfig): string[] {
  if (command.length > 0) return [...command, ...args];
  return [...(Entrypoint ?? []), ...(args.length > 0 ? args : (Cmd ?? []))];
}

/** Its user. The first of the additional groups is that of the user. */
export function userOf({ linux }: ContainerConfig) {
  const { runAsUser, runAsGroup, supplementalGroups = [] } = linux?.securityContext ?? {};
  const gid = Number(runAsGroup?.value ?? 0);
  const additionalGids = [...new Set([gid, ...supplementalGroups.map(Number)])];
  return { uid: Number(runAsUser?.value ?? 0), gid, additionalGids };
}

/** The name of a variable of the environment. */
export const nameOfVariable = (variable: string): string => variable.split('=', 1)[0] ?? '';
