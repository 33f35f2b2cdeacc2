import {
  type ContainerConfig,
  NamespaceMode,
  type PodSandboxConfig,
} from '../../../src/cri/gen/runtime/v1/api.js';
import type { FilesConfig } from '../../../src/linux/fs/files-config.js';

/** What a container's and its pod's CRI configs say about its file system. */
export function filesConfigOf(config: ContainerConfig, pod: PodSandboxConfig): FilesConfig {
  const security = config.linux?.securityContext;
  const { network, ipc } = pod.linux?.securityContext?.namespaceOptions ?? {};
  const userNamespace = (security ?? pod.linux?.securityContext)?.namespaceOptions?.usernsOptions;
  return {
    isPrivileged: security?.privileged ?? false,
    isRootReadonly: security?.readonlyRootfs ?? false,
    mounts: config.mounts,
    maskedPaths: security?.maskedPaths ?? [],
    readonlyPaths: security?.readonlyPaths ?? [],
    dns: pod.dnsConfig,
    // An unset mode is POD (cri-api NamespaceMode).
    host: { network: network === NamespaceMode.NODE, ipc: ipc === NamespaceMode.NODE },
    idMappings: { uids: userNamespace?.uids ?? [], gids: userNamespace?.gids ?? [] },
  };
}
