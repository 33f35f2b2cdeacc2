import { isAbsolute } from 'node:path/posix';
import type { ContainerConfig } from '../../../cri/gen/runtime/v1/api.js';

const NOT_CREATED =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ';
const NOT_STARTED = `${NOT_CREATED}unable to start container process: `;
const NOT_INITIALIZED = `${NOT_STARTED}error during container init: `;

/** The limit of oci.WithUser and runc. */
const LARGEST_ID = 2_147_483_647n;

/** Whether a user's or group's id is out of range; undefined isn't. */
export const isOutside = (id: bigint | undefined): boolean =>
  id !== undefined && (id < 0n || id > LARGEST_ID);

export const GROUP_OUTSIDE = `unable to start container process: unable to setup user: uids and gids must be in range 0-${LARGEST_ID}`;

export function startFault(
  { workingDir, envs, mounts, devices, linux }: ContainerConfig,
  id: string,
): string | undefined {
  const index = devices.findIndex(({ permissions }) => permissions === '');
  // The first rule of a container denies all devices.
  if (index >= 0) return `${NOT_CREATED}device access at ${index + 1} field cannot be empty`;
  if (workingDir !== '' && !isAbsolute(workingDir)) return `${NOT_CREATED}Cwd must be an absolute path`;
  const relative = mounts.find(({ hostPath }) => hostPath !== '' && !isAbsolute(hostPath));
  if (relative !== undefined) {
    const path = `/run/containerd/io.containerd.runtime.v2.task/k8s.io/${id}/${relative.hostPath}`;
    return `${NOT_INITIALIZED}error mounting "${path}" to rootfs at "${relative.containerPath}": stat ${path}: no such file or directory`;
  }
  if (mounts.some(({ containerPath }) => containerPath === '' || /^\/+$/.test(containerPath)))
    return `${NOT_STARTED}error closing exec fds: open /proc/self/fd: no such file or directory`;
  const nameless = envs.find(({ key }) => key === '');
  if (nameless !== undefined)
    return `${NOT_INITIALIZED}environment variable name can't be empty: ${JSON.stringify(`=${Buffer.from(nameless.value).toString()}`)}`;
  const withNul = envs.find(({ value }) => value.includes(0));
  if (withNul !== undefined) {
    const shown = `${withNul.key}=${Buffer.from(withNul.value).toString().replaceAll('\0', '\\x00')}`;
    return `${NOT_INITIALIZED}environment variable value can't contain null(\\x00): "${shown}"`;
  }
  if (linux?.securityContext?.supplementalGroups.some(isOutside)) return `${NOT_CREATED}${GROUP_OUTSIDE}`;
  return undefined;
}
