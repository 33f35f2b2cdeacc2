import { StatusError } from '../../../cri/errors.js';
import { type ContainerConfig, NamespaceMode } from '../../../cri/gen/runtime/v1/api.js';
import { Code } from '../../../cri/status-code.js';
import type { ConfigChecks } from '../../engine/rules.js';
import { startFault } from '../containerd/start-fault.js';
import { lacksDirectory } from '../log-directory.js';

const pidsOf = ({ linux }: ContainerConfig): NamespaceMode =>
  linux?.securityContext?.namespaceOptions?.pid ?? NamespaceMode.POD;

/** CRI-O accepts any sandbox config; container configs that runc refuses fail in CreateContainer. */
export const crioChecks: ConfigChecks = {
  sandbox: () => {},
  container: (config, { sharesPids }, _, logPath) => {
    if (!sharesPids && pidsOf(config) === NamespaceMode.POD)
      throw new StatusError(
        Code.UNKNOWN,
        'pod level PID namespace requested for the container, but pod sandbox was not similarly configured, and does not have an infra container',
      );
    // It creates only the sandbox's directory; its monitor ends without the log.
    if (config.logPath.includes('/') && logPath !== undefined && lacksDirectory(logPath))
      throw new StatusError(
        Code.UNKNOWN,
        'failed to wait exit status 1 after failing with: write child: broken pipe',
      );
  },
  start: startFault,
};
