import {
  type ContainerStats,
  type ContainerStatus,
  NamespaceMode,
  PodSandboxState,
} from '../../../src/cri/gen/runtime/v1/api.js';
import type { CriResponse } from '../../../src/cri/service.js';
import type { Upstream } from '../../../src/suite/conformance/rules.js';
import type { Decoded } from '../decoded.js';
import {
  after,
  before,
  ContainerEventType,
  ContainerState,
  eachEvent,
  inStatus,
  type Mutant,
  mutant,
  onFailure,
  refuse,
  sleep,
  stateOf,
} from './mutant.js';

/** A mutant that behaves as a runtime did before a pull request. */
const as = (
  upstream: Upstream,
  name: string,
  breaks: string | readonly string[],
  mutate: Mutant['mutate'],
): Mutant => ({ ...mutant(`${upstream}: ${name}`, breaks, mutate), upstream });

const call = () => ({ signal: new AbortController().signal, deadline: undefined });

/** What a pod uses, of memory in bytes or of CPU in nanoseconds. */
const OF_POD = { value: 30_650_000n };

/** Changes a container's status in place, in events only. */
const inEvents = (by: (status: ContainerStatus, type: ContainerEventType) => void) =>
  eachEvent(({ containersStatuses, containerEventType }) => {
    for (const status of containersStatuses) by(status, containerEventType);
  });

const exits: readonly Mutant[] = [
  as('containerd#12714', 'the reason of an OOM kill comes after its end', 'INV-56.reason', (real) => {
    const seen = new Set<string>();
    return inStatus((status) => {
      if (status.reason !== 'OOMKilled' || seen.has(status.id)) return;
      seen.add(status.id);
      status.reason = 'Error';
    })(real);
  }),
  as(
    'containerd#12714',
    'the event of an OOM kill has another exit code',
    'INV-56.event',
    inEvents((status) => {
      if (status.reason === 'OOMKilled') status.exitCode = 255;
    }),
  ),
  as(
    'containerd#12714',
    'the event of an OOM kill does not know it',
    'INV-56.event',
    inEvents((status) => {
      if (status.reason === 'OOMKilled') status.reason = 'Error';
    }),
  ),
  as('containerd#11579', 'the end of one in twenty containers is lost', 'INV-60.ends-at-once', (real) => {
    const lost = new Set<string>();
    let started = 0;
    return {
      ...after('startContainer', (_, { containerId }) => {
        if (++started % 20 === 0) lost.add(containerId);
      })(real),
      // Only the end of a process that ended by itself is lost: a tape shows one that comes after a stop.
      ...before('stopContainer', ({ containerId }) => {
        lost.delete(containerId);
      })(real),
      ...inStatus((status) => {
        if (!lost.has(status.id)) return;
        Object.assign(status, {
          state: ContainerState.CONTAINER_RUNNING,
          exitCode: 0,
          finishedAt: 0n,
          reason: '',
        });
      })(real),
    };
  }),
  as('cri-o#9846', 'one in twenty containers that end at once has 255', 'INV-60.ends-at-once', (real) => {
    const ids = new Map<string, number>();
    const stopped = new Set<string>();
    return {
      ...before('stopContainer', ({ containerId }) => {
        stopped.add(containerId);
      })(real),
      ...inStatus((status) => {
        if (status.state !== ContainerState.CONTAINER_EXITED || stopped.has(status.id)) return;
        const number = ids.get(status.id) ?? ids.size + 1;
        ids.set(status.id, number);
        if (number % 20 === 0) status.exitCode = 255;
      })(real),
    };
  }),
  as(
    'cri-o#9846',
    'what ended while the runtime was down has 255',
    'INV-63.ended-meanwhile',
    (real, { isRestarted }) =>
      inStatus((status) => {
        if (isRestarted() && status.state === ContainerState.CONTAINER_EXITED) status.exitCode = 255;
      })(real),
  ),
];

/** Lists first, and reads each container later, when it may have been removed. */
const lateLook = async (real: Decoded, ids: readonly (string | undefined)[]): Promise<void> => {
  await sleep(500);
  for (const id of ids)
    if (id !== undefined && (await stateOf(real, id)) === undefined) refuse(5, `container ${id} not found`);
};

/** Adds known but missing objects to each reply: removed ones stay listed. */
function keeping<Reply, Item>(items: (reply: Reply) => Item[], keyOf: (item: Item) => string) {
  const known = new Map<string, Item>();
  return (reply: Reply): void => {
    const present = items(reply);
    const missing = [...known].filter(([id]) => !present.some((item) => keyOf(item) === id));
    for (const item of present) known.set(keyOf(item), item);
    present.push(...missing.map(([, item]) => item));
  };
}

const stats: readonly Mutant[] = [
  as(
    'containerd#10724',
    'ListContainerStats fails for a container that goes away',
    'INV-57.ListContainerStats',
    after('listContainerStats', (reply, _, real) =>
      lateLook(
        real,
        reply.stats.map(({ attributes }) => attributes?.id),
      ),
    ),
  ),
  as(
    'containerd#10724',
    'ListPodSandboxStats fails for a container that goes away',
    'INV-57.ListPodSandboxStats',
    after('listPodSandboxStats', (reply, _, real) =>
      lateLook(
        real,
        reply.stats.flatMap(({ linux }) => linux?.containers.map(({ attributes }) => attributes?.id) ?? []),
      ),
    ),
  ),
  as('cri-o#10214', 'metrics of removed pods stay', 'INV-57.ListPodSandboxMetrics', (real) =>
    after(
      'listPodSandboxMetrics',
      keeping(
        (reply: CriResponse<'listPodSandboxMetrics'>) => reply.podMetrics,
        ({ podSandboxId }) => podSandboxId,
      ),
    )(real),
  ),
  as(
    'containerd#13896',
    'a container without metrics takes its pod away',
    'INV-57.others-metrics',
    after('listPodSandboxMetrics', async (reply, _, real) => {
      const { containers } = await real.listContainers({ filter: undefined }, call());
      const ill = new Set(
        containers
          .filter(({ state }) => state !== ContainerState.CONTAINER_RUNNING)
          .map(({ podSandboxId }) => podSandboxId),
      );
      reply.podMetrics = reply.podMetrics.filter(({ podSandboxId }) => !ill.has(podSandboxId));
    }),
  ),
  as(
    'containerd#13896',
    'a container without stats takes those of its pod away',
    'INV-57.others-stats',
    after('listPodSandboxStats', async (reply, _, real) => {
      const { containers } = await real.listContainers({ filter: undefined }, call());
      for (const { attributes, linux } of reply.stats) {
        const own = containers.filter(({ podSandboxId }) => podSandboxId === attributes?.id);
        if (linux && own.some(({ state }) => state !== ContainerState.CONTAINER_RUNNING))
          linux.containers = [];
      }
    }),
  ),
  as(
    'cri-o#9719',
    'there are no metrics',
    'INV-57.others-metrics',
    after('listPodSandboxMetrics', (reply) => {
      reply.podMetrics = [];
    }),
  ),
  as(
    'cri-o#10206',
    'ListPodSandboxStats fails next to a stopped pod',
    'INV-57.stopped-pod',
    after('listPodSandboxStats', async (_, __, real) => {
      const { items } = await real.listPodSandbox({ filter: undefined }, call());
      if (items.some(({ state }) => state === PodSandboxState.SANDBOX_NOTREADY)) refuse(13, 'nil');
    }),
  ),
  as(
    'containerd#13897',
    'container_start_time_seconds is in nanoseconds',
    'INV-58.metrics',
    after('listPodSandboxMetrics', ({ podMetrics }) => {
      for (const { metrics } of podMetrics.flatMap(({ containerMetrics }) => containerMetrics))
        for (const { name, value } of metrics)
          if (name === 'container_start_time_seconds' && value) value.value *= 1_000_000_000n;
    }),
  ),
  as(
    'containerd#13897',
    'the time of CPU stats is in seconds',
    'INV-58.stats',
    after('containerStats', ({ stats: shown }) => {
      if (shown?.cpu) shown.cpu.timestamp /= 1_000_000_000n;
    }),
  ),
  as(
    'cri-o#8582',
    'the timestamp of PodSandboxStatus is in seconds',
    'INV-58.status',
    after('podSandboxStatus', (reply) => {
      reply.timestamp /= 1_000_000_000n;
    }),
  ),
  as(
    'containerd#11323',
    'PodSandboxStatus has a time and no statuses of containers',
    ['INV-58.status', 'INV-67.statuses'],
    after('podSandboxStatus', (reply) => {
      reply.containersStatuses = [];
    }),
  ),
  as('cri-o#3933', 'stats of a container are those of its pod', 'INV-48.own', (real) => {
    const same = (shown: readonly (ContainerStats | undefined)[]) => {
      for (const one of shown)
        if (one?.memory) one.memory = { ...one.memory, workingSetBytes: OF_POD, usageBytes: OF_POD };
    };
    return {
      ...after('containerStats', ({ stats: shown }) => same([shown]))(real),
      ...after('listContainerStats', ({ stats: shown }) => same(shown))(real),
      ...after('podSandboxStats', ({ stats: shown }) => same(shown?.linux?.containers ?? []))(real),
    };
  }),
  mutant(
    'all containers have used the same CPU time in the list',
    'INV-48.own',
    after('listContainerStats', ({ stats: shown }) => {
      for (const { cpu } of shown) if (cpu) cpu.usageCoreNanoSeconds = OF_POD;
    }),
  ),
  mutant(
    'a pod has less memory than its container',
    'INV-48.own',
    after('podSandboxStats', ({ stats: shown }) => {
      if (shown?.linux?.memory) shown.linux.memory.workingSetBytes = { value: 1_000_000n };
    }),
  ),
  as('containerd#10652', 'the counted CPU time falls', 'INV-48.moves', (real) => {
    let looks = 0n;
    return after('containerStats', ({ stats: shown }) => {
      const usage = shown?.cpu?.usageCoreNanoSeconds;
      if (usage) usage.value = 1_000_000_000n - looks++;
    })(real);
  }),
  as(
    'containerd#13138',
    'usage_nano_cores is the CPU time of all seconds',
    'INV-58.stats',
    after('containerStats', ({ stats: shown }) => {
      if (shown?.cpu) shown.cpu.usageNanoCores = { value: 1_000_000_000_000n };
    }),
  ),
  as(
    'cri-o#9784',
    'a metric has a label value too many',
    'INV-49.descriptors',
    after('listPodSandboxMetrics', ({ podMetrics }) => {
      for (const { containerMetrics } of podMetrics)
        for (const { metrics } of containerMetrics)
          for (const { labelValues } of metrics) labelValues.push('x');
    }),
  ),
  as(
    'cri-o#10204',
    'the network of a pod is that of the host',
    'INV-62.network-usage',
    after('podSandboxStats', ({ stats: shown }) => {
      const network = shown?.linux?.network;
      if (network?.defaultInterface) network.defaultInterface.name = 'enp0s31f6';
    }),
  ),
];

const pods: readonly Mutant[] = [
  as('containerd#11406', 'UpdatePodSandboxResources has no effect', 'INV-59.shown', () => ({
    updatePodSandboxResources: async () => ({}),
  })),
  as(
    'containerd#11406',
    'the resources of a pod are lost with a restart',
    'INV-59.restart',
    (real, { isRestarted }) =>
      after('podSandboxStatus', (reply) => {
        if (isRestarted()) reply.info = {};
      })(real),
  ),
  as('containerd#11406', 'a second UpdatePodSandboxResources fails', 'INV-59.update', (real) => {
    const updated = new Set<string>();
    return {
      updatePodSandboxResources: async (request, given) => {
        if (updated.has(request.podSandboxId)) refuse(6);
        updated.add(request.podSandboxId);
        return real.updatePodSandboxResources(request, given);
      },
    };
  }),
  mutant('UpdatePodSandboxResources of an unknown sandbox is UNKNOWN', 'INV-59.unknown', (real) =>
    onFailure('updatePodSandboxResources', () => refuse(2))(real),
  ),
  as('containerd#13654', 'a container can be created in a stopped sandbox', 'INV-03.not-ready', (real) =>
    onFailure('createContainer', async () => ({ containerId: 'a'.repeat(64) }))(real),
  ),
  as(
    'containerd#9644',
    'after a restart every sandbox is NOTREADY',
    'INV-63.states',
    (real, { isRestarted }) =>
      after('podSandboxStatus', ({ status }) => {
        if (isRestarted() && status) status.state = PodSandboxState.SANDBOX_NOTREADY;
      })(real),
  ),
  as(
    'cri-o#9410',
    'a pod in the network of the host cannot be stopped',
    'INV-62.host-network',
    before('stopPodSandbox', async (request, real) => {
      const { status } = await real.podSandboxStatus({ ...request, verbose: false }, call());
      if (status?.linux?.namespaces?.options?.network === NamespaceMode.NODE)
        refuse(2, 'no network namespace');
    }),
  ),
];

const containers: readonly Mutant[] = [
  as('containerd#10521', 'StopContainer of a removed container is an error', 'INV-08.unknown', (real) => ({
    stopContainer: async (request, given) =>
      (await stateOf(real, request.containerId)) === undefined
        ? refuse(5)
        : real.stopContainer(request, given),
  })),
  as('containerd#10021', 'mounts hide each other', 'INV-62.nested-mounts', (real) => ({
    createContainer: (request, given) => {
      const config = structuredClone(request.config);
      // Mounts below another mount are lost.
      if (config)
        config.mounts = config.mounts.filter(({ containerPath }) => containerPath !== '/data/inner/deep');
      return real.createContainer({ ...request, config }, given);
    },
  })),
  as(
    'containerd#11813',
    'CreateContainer without metadata of the pod ends others',
    'INV-62.malformed',
    (real) => {
      let isBroken = false;
      return {
        createContainer: (request, given) => {
          if (request.sandboxConfig?.metadata === undefined) isBroken = true;
          return real.createContainer(request, given);
        },
        containerStatus: async (request, given) =>
          isBroken ? refuse(14) : real.containerStatus(request, given),
      };
    },
  ),
  as(
    'cri-o#9614',
    'no command runs in a container that is stopping',
    'INV-62.exec-while-stopping',
    (real) => {
      const stopping = new Set<string>();
      return {
        stopContainer: (request, given) => {
          stopping.add(request.containerId);
          return real.stopContainer(request, given);
        },
        execSync: async (request, given) =>
          stopping.has(request.containerId) ? refuse(5, 'is stopping') : real.execSync(request, given),
      };
    },
  ),
  as('cri-o#9799', 'one of several StopContainer at the same time fails', 'INV-15.stop', (real) => {
    const stopping = new Set<string>();
    return {
      stopContainer: async (request, given) => {
        if (stopping.has(request.containerId)) refuse(14, 'the runtime has ended');
        stopping.add(request.containerId);
        await sleep(10);
        return real.stopContainer(request, given);
      },
    };
  }),
  as(
    'containerd#12678',
    'a container whose stop was cancelled runs forever',
    'INV-17.StopContainer',
    (real) => {
      const stuck = new Set<string>();
      return {
        stopContainer: async (request, given) => {
          if (stuck.has(request.containerId))
            refuse(2, 'an error occurs during waiting for container to be killed');
          const reply = await real.stopContainer(request, given).catch((error: unknown) => {
            if (given.signal.aborted) stuck.add(request.containerId);
            throw error;
          });
          return reply;
        },
      };
    },
  ),
  as('containerd#12758', 'CheckpointContainer takes whole ids only', 'INV-55.prefix', (real) => ({
    checkpointContainer: async (request, given) =>
      request.containerId.length < 64 ? refuse(5) : real.checkpointContainer(request, given),
  })),
  as('cri-o#9433', 'ReopenContainerLog does nothing', 'INV-46.rotation', () => ({
    reopenContainerLog: async () => ({}),
  })),
];

const events: readonly Mutant[] = [
  as(
    'cri-o#9663',
    'statuses in events have no image',
    'INV-32.whole-statuses',
    inEvents((status) => {
      status.image = undefined;
    }),
  ),
  as(
    'cri-o#9663',
    'statuses in events have no mounts',
    'INV-32.whole-statuses',
    inEvents((status) => {
      status.mounts = [];
    }),
  ),
  as(
    'cri-o#9663',
    'statuses in events have no image_id',
    'INV-32.whole-statuses',
    inEvents((status) => {
      status.imageId = '';
    }),
  ),
  as(
    'cri-o#9663',
    'statuses in events have no labels',
    'INV-32.whole-statuses',
    inEvents((status) => {
      status.labels = {};
    }),
  ),
  as('cri-o#9014', 'an event is sent again with the next one', 'INV-29.container', (real) => ({
    getContainerEvents: async function* (request, given) {
      let last: CriResponse<'getContainerEvents'> | undefined;
      for await (const event of real.getContainerEvents(request, given)) {
        if (last !== undefined) yield last;
        yield event;
        last = event;
      }
    },
  })),
];

const images: readonly Mutant[] = [
  as(
    'containerd#12787',
    'image_id is empty in the status',
    'INV-36.one-id',
    inStatus((status) => {
      status.imageId = '';
    }),
  ),
  as(
    'cri-o#9728',
    'PullImage returns a digest',
    'INV-36.one-id',
    after('pullImage', (reply) => {
      reply.imageRef = `registry.k8s.io/e2e-test-images/busybox@${reply.imageRef}`;
    }),
  ),
  as('cri-o#9803', 'RemoveImage fails next to another one', 'INV-61.remove', (real) => {
    const busy = new Set<string>();
    return {
      removeImage: async (request, given) => {
        const name = request.image?.image ?? '';
        if (busy.has(name)) refuse(2, 'identifier is not an image');
        busy.add(name);
        await sleep(10);
        return real.removeImage(request, given).finally(() => busy.delete(name));
      },
    };
  }),
  as(
    'cri-o#9803',
    'an image that was removed while it was pulled stays in the list',
    'INV-61.pull-and-remove',
    (real) => {
      const known = new Map<string, CriResponse<'listImages'>['images'][number]>();
      let pulling = 0;
      let isTorn = false;
      return {
        pullImage: async (request, given) => {
          pulling++;
          await sleep(10);
          return real.pullImage(request, given).finally(() => pulling--);
        },
        removeImage: async (request, given) => {
          if (pulling > 0) isTorn = true;
          return real.removeImage(request, given);
        },
        ...after('imageStatus', (reply) => {
          if (isTorn && reply.image) return { image: undefined, info: {} };
          if (reply.image) known.set(reply.image.id, reply.image);
        })(real),
        ...after('listImages', (reply) => {
          const ids = new Set(reply.images.map(({ id }) => id));
          reply.images.push(...[...known.values()].filter(({ id }) => !ids.has(id)));
        })(real),
      };
    },
  ),
  as('cri-o#9925', 'digests of images are lost with a restart', 'INV-63.images', (real, { isRestarted }) =>
    after('listImages', (reply) => {
      if (isRestarted()) for (const image of reply.images) image.repoDigests = [];
    })(real),
  ),
  as('cri-o#9925', 'sizes of images are lost with a restart', 'INV-63.images', (real, { isRestarted }) =>
    after('listImages', (reply) => {
      if (isRestarted()) for (const image of reply.images) image.size = 0n;
    })(real),
  ),
  as('cri-o#9925', 'tags of images are lost with a restart', 'INV-63.images', (real, { isRestarted }) =>
    after('listImages', (reply) => {
      if (isRestarted()) for (const image of reply.images) image.repoTags = [];
    })(real),
  ),
  as('containerd#12036', 'the handlers come in another order each time', 'INV-50.constant', (real) => {
    let looks = 0;
    return after('status', (reply) => {
      const [first] = reply.runtimeHandlers;
      if (first && reply.runtimeHandlers.length < 2) reply.runtimeHandlers.push({ ...first, name: 'other' });
      if (looks++ % 2 === 1) reply.runtimeHandlers.reverse();
    })(real);
  }),
];

const restarts: readonly Mutant[] = [
  mutant('the log stops with a restart', 'INV-63.logs', (real, { isRestarted }) => {
    const ids = new Set<string>();
    return {
      ...after('startContainer', (_, { containerId }) => {
        ids.add(containerId);
      })(real),
      ...after('status', async () => {
        if (!isRestarted()) return;
        for (const containerId of ids)
          await real.stopContainer({ containerId, timeout: 0n }, call()).catch(() => {});
      })(real),
    };
  }),
  mutant('no events after a restart', 'INV-63.events', (real, { isRestarted }) =>
    eachEvent(({ containerEventType }) => {
      const isStop = containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT;
      return !(isRestarted() && isStop);
    })(real),
  ),
  mutant(
    'a container that was being stopped at the restart is stuck',
    'INV-63.under-way',
    (real, { isRestarted }) => {
      const stopping = new Set<string>();
      return {
        stopContainer: async (request, given) => {
          if (isRestarted() && stopping.has(request.containerId)) refuse(2, 'is already stopping');
          stopping.add(request.containerId);
          return real.stopContainer(request, given);
        },
      };
    },
  ),
  mutant('no command runs after a restart', 'INV-63.exec', (real, { isRestarted }) => ({
    execSync: async (request, given) =>
      isRestarted() ? refuse(2, 'no such task') : real.execSync(request, given),
  })),
];

export const upstreamMutants: readonly Mutant[] = [
  ...exits,
  ...stats,
  ...pods,
  ...containers,
  ...events,
  ...images,
  ...restarts,
];
