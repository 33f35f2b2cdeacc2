import { LinuxPodSandboxConfig, type PodSandboxConfig } from '../../../../cri/gen/runtime/v1/api.js';
import type { CheckContext, ContainerOptions, Sandbox } from '../../check-context.js';

export type SecurityContext = NonNullable<NonNullable<ContainerOptions['linux']>['securityContext']>;

export const withSecurity = (securityContext: SecurityContext): ContainerOptions => ({
  linux: { securityContext },
});

export const podWithNamespaces = (
  t: CheckContext,
  namespaceOptions: object,
  changes: Partial<PodSandboxConfig> = {},
): Promise<Sandbox> =>
  t.sandbox({
    ...changes,
    linux: LinuxPodSandboxConfig.fromPartial({ securityContext: { namespaceOptions } }),
  });
