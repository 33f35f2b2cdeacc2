import { isAbsolute } from 'node:path/posix';
import type { ContainerConfig } from '../../cri/gen/runtime/v1/api.js';

const NOT_CREATED =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: ';
const NOT_STARTED = `${NOT_CREATED}unable to start container process: `;
const NOT_INITIALIZED = `${NOT_STARTED}error during container init: `;

/** Why runc can't start a container, where its config is enough to know it. */
export function startFault({ workingDir, envs, mounts }: ContainerConfig, id: string): string | undefined {
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
  return undefined;
}
