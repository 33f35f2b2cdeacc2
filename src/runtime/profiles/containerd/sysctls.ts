import { NamespaceMode, type PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';

/** Sysctls of the IPC namespace (runc, libcontainer/configs/validate). */
const IPC = new Set(
  ['msgmax', 'msgmnb', 'msgmni', 'sem', 'shmall', 'shmmax', 'shmmni', 'shm_rmid_forced'].map(
    (name) => `kernel.${name}`,
  ),
);

/** Returns why runc refuses a sysctl of a sandbox; does not check whether the kernel has it. */
export function sysctlFault({ linux }: PodSandboxConfig): string | undefined {
  const { network, ipc } = linux?.securityContext?.namespaceOptions ?? {};
  for (const sysctl of Object.keys(linux?.sysctls ?? {})) {
    const name = sysctl.replaceAll('/', '.');
    if (name.startsWith('net.') && network === NamespaceMode.NODE)
      return `sysctl "${sysctl}" not allowed in host network namespace`;
    // Its host name is another field of the OCI spec.
    if (name === 'kernel.hostname' && network !== NamespaceMode.NODE)
      return `sysctl "${sysctl}" is not allowed as it conflicts with the OCI "hostname" field`;
    const isOfIpc = IPC.has(name) || name.startsWith('fs.mqueue.');
    const isOwn = name.startsWith('net.') || (isOfIpc && ipc !== NamespaceMode.NODE);
    if (!isOwn) return `sysctl "${sysctl}" is not in a separate kernel namespace`;
  }
  return undefined;
}
