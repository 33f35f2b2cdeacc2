import { PodSandboxState } from '../../../src/cri/gen/runtime/v1/api.js';
import {
  after,
  asUnknown,
  before,
  ContainerState,
  eachEvent,
  inStatus,
  isSandboxEvent,
  type Mutant,
  mutant,
  now,
  onFailure,
  refuse,
} from './mutant.js';

const call = () => ({ signal: new AbortController().signal, deadline: undefined });

/** Mutants that break a rule in an RPC, a part or a process that its first examples don't have. */
export const halfMutants: readonly Mutant[] = [
  mutant('StopContainer takes the first container of an ambiguous prefix', 'INV-14.ambiguous', (real) => ({
    stopContainer: async (request, given) => {
      const { containers } = await real.listContainers({ filter: undefined }, call());
      const fitting = containers.filter(({ id }) => id.startsWith(request.containerId));
      for (const { id } of fitting.length > 1 ? fitting : []) {
        await real.startContainer({ containerId: id }, call()).catch(() => {});
        await real.stopContainer({ ...request, containerId: id }, call());
      }
      return real.stopContainer(request, given);
    },
  })),
  mutant('StartContainer starts the first container of an ambiguous prefix', 'INV-14.ambiguous', (real) => ({
    startContainer: async (request, given) => {
      const { containers } = await real.listContainers({ filter: undefined }, call());
      const first = containers.find(({ id }) => id.startsWith(request.containerId));
      return real.startContainer({ containerId: first?.id ?? request.containerId }, given);
    },
  })),
  mutant('RemoveImage takes the tags of other images away', 'INV-37.remove', (real) => {
    let isRemoved = false;
    return {
      ...after('removeImage', () => {
        isRemoved = true;
      })(real),
      ...after('listImages', ({ images }) => {
        if (isRemoved) for (const image of images) image.repoTags = [];
      })(real),
    };
  }),
  mutant('image_id differs in the list of containers', 'INV-18.containers', (real) =>
    after('listContainers', ({ containers }) => {
      for (const container of containers) container.imageId = 'sha256:other';
    })(real),
  ),
  mutant('every tenth list lacks a container', 'INV-21.snapshot', (real) => {
    let lists = 0;
    return after('listContainers', ({ containers }) => {
      if (++lists % 10 === 0) containers.pop();
    })(real);
  }),
  mutant('StreamContainers ignores its filter', 'INV-20.StreamContainers', (real) => ({
    streamContainers: (_, given) => real.streamContainers({ filter: undefined }, given),
  })),
  mutant('StreamImages ignores its filter', 'INV-20.StreamImages', (real) => ({
    streamImages: async function* (request, given) {
      const other = {
        id: 'sha256:other',
        repoTags: [],
        repoDigests: [],
        size: 1n,
        username: '',
        pinned: false,
      };
      for await (const { images } of real.streamImages(request, given))
        yield {
          images: request.filter ? [...images, { ...other, uid: undefined, spec: undefined }] : images,
        };
    },
  })),
  mutant('StreamPodSandboxes sends sandboxes without labels', 'INV-20.StreamPodSandboxes', (real) => ({
    streamPodSandboxes: async function* (request, given) {
      for await (const chunk of real.streamPodSandboxes(request, given)) {
        for (const sandbox of chunk.podSandboxes) sandbox.labels = {};
        yield chunk;
      }
    },
  })),
  mutant(
    'an event of a container has its own status alone',
    'INV-32.contents',
    eachEvent((event) => {
      if (!isSandboxEvent(event))
        event.containersStatuses = event.containersStatuses.filter(({ id }) => id === event.containerId);
    }),
  ),
  mutant(
    'the status lacks supplemental_groups',
    'INV-65.user',
    inStatus(({ user }) => {
      if (user?.linux) user.linux.supplementalGroups = [];
    }),
  ),
  mutant(
    'Merge is like Strict',
    'INV-65.strict-groups',
    before('createContainer', ({ config }) => {
      const context = config?.linux?.securityContext;
      if (context) context.supplementalGroupsPolicy = 1;
    }),
  ),
  mutant(
    'gids are not mapped',
    'INV-65.user-namespace',
    after('execSync', (reply, { cmd }) => {
      if (cmd.join(' ').includes('gid_map')) reply.stdout = Buffer.from('0 0 4294967295\n');
    }),
  ),
  mutant('RemoveContainer leaves the process behind', 'INV-02.remove-running', (real) => {
    const hidden = new Set<string>();
    return {
      removeContainer: async ({ containerId }) => {
        hidden.add(containerId);
        return {};
      },
      containerStatus: async (request, given) =>
        hidden.has(request.containerId) ? refuse(5) : real.containerStatus(request, given),
    };
  }),
  mutant(
    'the times of ListContainerStats are in seconds',
    'INV-58.stats',
    after('listContainerStats', ({ stats }) => {
      for (const { cpu } of stats) if (cpu) cpu.timestamp /= 1_000_000_000n;
    }),
  ),
  mutant(
    'PortForward of an unknown sandbox gives a URL',
    'INV-09.not-found',
    onFailure('portForward', () => ({ url: 'http://127.0.0.1/portforward/x' })),
  ),
  mutant('an empty ReopenContainerLog ends the runtime', 'INV-62.malformed', (real) => {
    let isBroken = false;
    return {
      reopenContainerLog: (request, given) => {
        if (request.containerId === '') isBroken = true;
        return real.reopenContainerLog(request, given);
      },
      containerStatus: async (request, given) =>
        isBroken ? refuse(14) : real.containerStatus(request, given),
    };
  }),
  mutant('a pull lowers the usage of the file system', 'INV-41.fs-info', (real) => {
    let pulls = 0n;
    return {
      ...after('pullImage', () => {
        pulls++;
      })(real),
      ...after('imageFsInfo', ({ imageFilesystems: [first] }) => {
        if (first?.usedBytes) first.usedBytes.value >>= 8n * pulls;
      })(real),
    };
  }),
  mutant('the time of ImageFsInfo stands still', 'INV-41.fs-info', (real) => {
    const begin = now();
    return after('imageFsInfo', ({ imageFilesystems, containerFilesystems }) => {
      for (const one of [...imageFilesystems, ...containerFilesystems]) one.timestamp = begin;
    })(real);
  }),
  mutant(
    'the file system of containers has no mountpoint',
    'INV-41.fs-info',
    after('imageFsInfo', ({ containerFilesystems }) => {
      for (const one of containerFilesystems) one.fsId = undefined;
    }),
  ),
  mutant(
    'created_at of a sandbox is later when it is stopped',
    'INV-26.constant',
    after('podSandboxStatus', ({ status }) => {
      if (status?.state === PodSandboxState.SANDBOX_NOTREADY) status.createdAt += 1_000_000_000n;
    }),
  ),
  mutant(
    'lists have no created_at of containers',
    'INV-26.constant',
    after('listContainers', ({ containers }) => {
      for (const container of containers) container.createdAt = 1n;
    }),
  ),
  mutant(
    'Attach to a container that has ended is UNKNOWN',
    'INV-11.wrong-state',
    onFailure('attach', asUnknown),
  ),
  mutant(
    'PortForward to a stopped sandbox is UNKNOWN',
    'INV-11.wrong-state',
    onFailure('portForward', asUnknown),
  ),
  mutant(
    'a container without stats takes the usage of its pod away',
    'INV-57.others-stats',
    after('podSandboxStats', async ({ stats }, { podSandboxId }, real) => {
      const { containers } = await real.listContainers({ filter: undefined }, call());
      const own = containers.filter((one) => one.podSandboxId === podSandboxId);
      const isIll = own.some(({ state }) => state !== ContainerState.CONTAINER_RUNNING);
      if (stats?.linux && isIll) stats.linux.cpu = undefined;
    }),
  ),
  mutant(
    'a stopped pod takes the metrics of containers of other pods away',
    'INV-57.stopped-pod',
    after('listPodSandboxMetrics', async ({ podMetrics }, _, real) => {
      const { items } = await real.listPodSandbox({ filter: undefined }, call());
      if (items.some(({ state }) => state === PodSandboxState.SANDBOX_NOTREADY))
        for (const pod of podMetrics) pod.containerMetrics = [];
    }),
  ),
];
