import { invalid } from '../../../cri/errors.js';
import {
  ContainerState,
  type LinuxContainerSecurityContext,
  PodSandboxState,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Call, CriService } from '../../../cri/service.js';
import { holderOf } from '../name-holder.js';
import { containerStatusOf, sandboxStatusOf } from '../statuses.js';

type Creations = Pick<CriService, 'runPodSandbox' | 'createContainer'>;

/** A name conflict fails the call, but removes a holder that isn't running (core/sandbox_helpers.go). */
export const conflicting = (engine: CriService): Creations => ({
  runPodSandbox: async (request, call) => {
    try {
      return await engine.runPodSandbox(request, call);
    } catch (error) {
      const podSandboxId = holderOf(error);
      if (podSandboxId !== undefined && (await isStopped(engine, podSandboxId, call)))
        await engine.removePodSandbox({ podSandboxId }, call);
      throw error;
    }
  },
  createContainer: async (request, call) => {
    checkGroup(request.config?.linux?.securityContext);
    try {
      return await engine.createContainer(request, call);
    } catch (error) {
      const containerId = holderOf(error);
      if (containerId !== undefined && (await isIdle(engine, containerId, call)))
        await engine.removeContainer({ containerId }, call);
      throw error;
    }
  },
});

/** cri-dockerd checks it before the sandbox. */
function checkGroup(security: LinuxContainerSecurityContext | undefined): void {
  const { runAsGroup, runAsUser, runAsUsername = '' } = security ?? {};
  if (runAsGroup === undefined || runAsUser !== undefined || runAsUsername !== '') return;
  const group = String(runAsGroup.value);
  throw invalid('a group without a user', { name: 'group-without-user', group });
}

/** Returns false also for a sandbox that is still being created. */
const isStopped = (engine: CriService, podSandboxId: string, call: Call): Promise<boolean> =>
  sandboxStatusOf(engine, podSandboxId, call).then(
    (status) => status?.state === PodSandboxState.SANDBOX_NOTREADY,
    () => false,
  );

const isIdle = (engine: CriService, containerId: string, call: Call): Promise<boolean> =>
  containerStatusOf(engine, containerId, call).then(
    (status) => status?.state !== ContainerState.CONTAINER_RUNNING,
    () => false,
  );
