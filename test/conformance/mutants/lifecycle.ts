import { NamespaceMode, PodSandboxState } from '../../../src/cri/gen/runtime/v1/api.js';
import type { CriRequest, CriResponse } from '../../../src/cri/service.js';
import type { Decoded } from '../decoded.js';
import {
  after,
  ContainerState,
  inStatus,
  type Mutant,
  mutant,
  onFailure,
  refuse,
  stateOf,
} from './mutant.js';

const { CONTAINER_CREATED, CONTAINER_RUNNING, CONTAINER_EXITED } = ContainerState;

/** Changes a container's status in place after it was stopped. */
const onceStopped =
  (by: Parameters<typeof inStatus>[0]) =>
  (real: Decoded): Partial<Decoded> => {
    const stopped = new Set<string>();
    return {
      ...after('stopContainer', (_, { containerId }) => {
        stopped.add(containerId);
      })(real),
      ...inStatus((status) => {
        if (stopped.has(status.id)) return by(status);
      })(real),
    };
  };

/** StopPodSandbox does not end the containers with such a config. */
const leavesRunning =
  (isLeft: (config: CriRequest<'createContainer'>['config']) => boolean): Mutant['mutate'] =>
  (real) => {
    const stopped = new Set<string>();
    const podOf = new Map<string, string>();
    return {
      ...after('createContainer', ({ containerId }, { podSandboxId, config }) => {
        if (isLeft(config)) podOf.set(containerId, podSandboxId);
      })(real),
      ...after('stopPodSandbox', (_, { podSandboxId }) => {
        stopped.add(podSandboxId);
      })(real),
      ...inStatus((status) => {
        if (stopped.has(podOf.get(status.id) ?? '')) status.state = CONTAINER_RUNNING;
      })(real),
    };
  };

const sandboxes: readonly Mutant[] = [
  mutant(
    'a stopped sandbox stays READY',
    'INV-01.lifecycle',
    after('podSandboxStatus', ({ status }) => {
      if (status) status.state = PodSandboxState.SANDBOX_READY;
    }),
  ),
  mutant('a sandbox is READY again after a second stop', 'INV-01.lifecycle', (real) => {
    const stops = new Map<string, number>();
    return {
      stopPodSandbox: (request, call) => {
        stops.set(request.podSandboxId, (stops.get(request.podSandboxId) ?? 0) + 1);
        return real.stopPodSandbox(request, call);
      },
      ...after('podSandboxStatus', ({ status }, { podSandboxId }) => {
        if (status && stops.get(podSandboxId) === 2) status.state = PodSandboxState.SANDBOX_READY;
      })(real),
    };
  }),
  mutant('a removed sandbox keeps its status', 'INV-01.lifecycle', (real) => {
    const known = new Map<string, CriResponse<'podSandboxStatus'>>();
    return {
      podSandboxStatus: async (request, call) => {
        try {
          const reply = await real.podSandboxStatus(request, call);
          known.set(request.podSandboxId, reply);
          return reply;
        } catch (error) {
          const last = known.get(request.podSandboxId);
          if (last) return last;
          throw error;
        }
      },
    };
  }),
  mutant(
    'a stopped sandbox accepts new containers',
    'INV-03.not-ready',
    onFailure('createContainer', () => ({ containerId: 'a'.repeat(64) })),
  ),
  mutant(
    'a container of a stopped sandbox can be started',
    'INV-03.start-not-ready',
    onFailure('startContainer', async (error, { containerId }, real) => {
      if ((await stateOf(real, containerId)) !== CONTAINER_CREATED) throw error;
      return {};
    }),
  ),
  mutant(
    'StopPodSandbox leaves its containers running',
    'INV-05.stops-containers',
    leavesRunning(() => true),
  ),
  mutant(
    'StopPodSandbox leaves containers with their own pid namespace running',
    'INV-05.stops-containers',
    leavesRunning(
      (config) => config?.linux?.securityContext?.namespaceOptions?.pid === NamespaceMode.CONTAINER,
    ),
  ),
  mutant('RemovePodSandbox keeps its containers in the list', 'INV-06.removes-containers', (real) => {
    const ghosts: CriResponse<'listContainers'>['containers'] = [];
    return {
      removePodSandbox: async (request, call) => {
        const { containers } = await real.listContainers({ filter: undefined }, call);
        ghosts.push(...containers.filter(({ podSandboxId }) => podSandboxId === request.podSandboxId));
        return real.removePodSandbox(request, call);
      },
      ...after('listContainers', ({ containers }) => {
        containers.push(...ghosts);
      })(real),
    };
  }),
];

const containers: readonly Mutant[] = [
  mutant('CreateContainer starts the container', 'INV-02.lifecycle', (real) => ({
    createContainer: async (request, call) => {
      const reply = await real.createContainer(request, call);
      await real.startContainer({ containerId: reply.containerId }, call);
      return reply;
    },
  })),
  mutant('StartContainer is OK and does nothing', 'INV-02.lifecycle', () => ({
    startContainer: async () => ({}),
  })),
  mutant('RemoveContainer rejects a running container', 'INV-02.remove-running', (real) => ({
    removeContainer: async (request, call) =>
      (await stateOf(real, request.containerId)) === CONTAINER_RUNNING
        ? refuse(9)
        : real.removeContainer(request, call),
  })),
  mutant(
    'RemoveContainer of a container that was never started does nothing',
    'INV-02.remove-created',
    (real) => ({
      removeContainer: async (request, call) =>
        (await stateOf(real, request.containerId)) === CONTAINER_CREATED
          ? {}
          : real.removeContainer(request, call),
    }),
  ),
  mutant('the runtime restarts an exited container', 'INV-02.no-restart', (real) => {
    let looks = 0;
    return inStatus((status) => {
      if (status.state === CONTAINER_EXITED && looks++ > 0) status.startedAt += 1_000_000_000n;
    })(real);
  }),
  mutant(
    'a running container can be started again',
    ['INV-03.start-running', 'INV-15.start'],
    onFailure('startContainer', async (error, { containerId }, real) => {
      if ((await stateOf(real, containerId)) !== CONTAINER_RUNNING) throw error;
      return {};
    }),
  ),
  mutant(
    'an exited container can be started again',
    'INV-03.start-exited',
    onFailure('startContainer', async (error, { containerId }, real) => {
      if ((await stateOf(real, containerId)) !== CONTAINER_EXITED) throw error;
      return {};
    }),
  ),
  mutant('a rejected start changes started_at', ['INV-03.start-running', 'INV-03.start-exited'], (real) => {
    const refused = new Set<string>();
    return {
      ...onFailure('startContainer', (error, { containerId }) => {
        refused.add(containerId);
        throw error;
      })(real),
      ...inStatus((status) => {
        if (refused.has(status.id)) status.startedAt += 1n;
      })(real),
    };
  }),
  mutant(
    'ExecSync is OK in a container that does not run',
    'INV-03.exec-not-running',
    onFailure('execSync', () => ({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 })),
  ),
  mutant(
    'StopContainer of a created container makes it EXITED',
    'INV-04.stop-created',
    onceStopped((status) => {
      status.state = CONTAINER_EXITED;
    }),
  ),
  mutant('finished_at of an exited container changes', 'INV-07.exited-is-final', (real) => {
    let looks = 0n;
    return inStatus((status) => {
      if (status.state === CONTAINER_EXITED) status.finishedAt += looks++;
    })(real);
  }),
  mutant(
    'another stop overwrites the exit code',
    'INV-07.exited-is-final',
    onceStopped((status) => {
      status.exitCode = 137;
    }),
  ),
];

export const lifecycleMutants: readonly Mutant[] = [...sandboxes, ...containers];
