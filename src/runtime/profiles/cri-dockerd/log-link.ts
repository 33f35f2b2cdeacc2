import { StatusError } from '../../../cri/errors.js';
import type { Call, CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { lacksDirectory } from '../log-directory.js';
import { containerStatusOf } from '../statuses.js';

type Start = CriService['startContainer'];

/**
 * StartContainer links log_path to Docker's log, also for a container that can't be started. It makes no directory:
 * without one the call fails, and the container runs (core/logs.go, createContainerLogSymlink).
 */
export const linked =
  (engine: CriService): Start =>
  async (request, call) => {
    try {
      return await engine.startContainer(request, call);
    } finally {
      await requireDirectory(engine, request.containerId, call);
    }
  };

/** Throws the error for a link that can't be created. */
async function requireDirectory(engine: CriService, containerId: string, call: Call): Promise<void> {
  const { id = '', logPath = '' } = (await containerStatusOf(engine, containerId, call)) ?? {};
  if (logPath === '' || !lacksDirectory(logPath)) return;
  const log = `/var/lib/docker/containers/${id}/${id}-json.log`;
  const why = `symlink ${log} ${logPath}: no such file or directory`;
  throw new StatusError(
    Code.UNKNOWN,
    `failed to create symbolic link "${logPath}" to the container log file "${log}" for container "${containerId}": ${why}`,
  );
}
