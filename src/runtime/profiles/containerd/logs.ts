import { dirname } from 'node:path/posix';
import { makeDirectory } from '../../../base/input/make-directory.js';
import { ContainerStatusResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../cri/service.js';
import { decoded } from '../decoded.js';

/** ReopenContainerLog creates a missing log directory, as StartContainer does. */
export const reopening =
  (engine: CriService): CriService['reopenContainerLog'] =>
  async (request, call) => {
    const { containerId } = request;
    const found = await Promise.resolve(engine.containerStatus({ containerId, verbose: false }, call)).catch(
      () => undefined,
    );
    const path = found && decoded(ContainerStatusResponse, found).status?.logPath;
    // The opening reports why it failed.
    if (path) await makeDirectory(dirname(path), 0o755).catch(() => {});
    return engine.reopenContainerLog(request, call);
  };
