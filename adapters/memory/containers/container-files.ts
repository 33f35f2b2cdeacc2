import type { Clock } from '../../../src/base/clock/clock.js';
import type {
  ContainerConfig,
  ContainerResources,
  PodSandboxConfig,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { createContainerFs } from '../../../src/linux/fs/container-fs.js';
import type { ContainerFsOptions } from '../../../src/linux/fs/container-fs-options.js';
import type { ContainerFiles } from '../../../src/linux/fs/file-system.js';
import type { FilesConfig } from '../../../src/linux/fs/files-config.js';

export function filesConfigOf(config: ContainerConfig, pod: PodSandboxConfig): FilesConfig {
  const security = config.linux?.securityContext;
  const userNamespace = (security ?? pod.linux?.securityContext)?.namespaceOptions?.usernsOptions;
  return {
    isPrivileged: security?.privileged ?? false,
    isRootReadonly: security?.readonlyRootfs ?? false,
    mounts: config.mounts,
    devices: config.devices.map(({ containerPath }) => containerPath),
    maskedPaths: security?.maskedPaths ?? [],
    readonlyPaths: security?.readonlyPaths ?? [],
    dns: pod.dnsConfig,
    idMappings: { uids: userNamespace?.uids ?? [], gids: userNamespace?.gids ?? [] },
  };
}

export interface FilesOwner {
  readonly clock: Clock;
  readonly id: string;
  readonly createdAt: bigint;
  readonly config: ContainerConfig;
  readonly sandboxConfig: PodSandboxConfig;
  readonly view: ReturnType<ContainerFsOptions['view']>;
  readonly resources: ContainerResources;
}

export function filesOf(
  container: FilesOwner,
  {
    root,
    imageRoot,
    hostPlace,
    account,
  }: Pick<ContainerFsOptions, 'root' | 'imageRoot' | 'hostPlace' | 'account'>,
): ContainerFiles {
  const { clock, id, createdAt } = container;
  return createContainerFs({
    clock,
    id,
    createdAt,
    config: () => filesConfigOf(container.config, container.sandboxConfig),
    root,
    imageRoot,
    hostPlace,
    account,
    view: () => container.view,
    resources: () => container.resources.linux,
  });
}
