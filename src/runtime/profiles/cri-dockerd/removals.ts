import { rm } from 'node:fs/promises';
import { StatusError } from '../../../cri/errors.js';
import type { CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { containerStatusOf } from '../statuses.js';
import { createUnderWay } from '../under-way.js';

type Removals = Pick<CriService, 'removeContainer' | 'removePodSandbox'>;

/** Docker removes an object once, a container with its log. */
export function removals(engine: CriService): Removals {
  const removing = createUnderWay();
  return {
    removeContainer: async (request, call) => {
      const { containerId } = request;
      const { logPath = '' } = (await containerStatusOf(engine, containerId, call)) ?? {};
      if (removing.of(containerId) !== undefined)
        throw inProgress(`failed to remove container "${containerId}": `, containerId);
      return removing.run(containerId, async () => {
        if (logPath !== '') await rm(logPath, { force: true });
        return engine.removeContainer(request, call);
      });
    },
    removePodSandbox: (request, call) => {
      const { podSandboxId } = request;
      if (removing.of(podSandboxId) !== undefined) throw inProgress('', podSandboxId);
      return removing.run(podSandboxId, async () => engine.removePodSandbox(request, call));
    },
  };
}

const inProgress = (what: string, id: string): StatusError =>
  new StatusError(
    Code.UNKNOWN,
    `${what}Error response from daemon: removal of container ${id} is already in progress`,
  );
