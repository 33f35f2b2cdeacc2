import type { Clock } from '../../../base/clock/clock.js';
import {
  ContainerState,
  type ContainerStats,
  ContainerStatusResponse,
  ListContainersResponse,
  ListPodSandboxResponse,
  PodSandboxStatusResponse,
  StatusResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Call, CriService } from '../../../cri/service.js';
import { decoded } from '../decoded.js';
import { type Info, infoOf, parseInfo } from '../info.js';
import { listedContainer, listedSandbox, shownSandbox, shownStatus } from './statuses.js';

const ZERO = { value: 0n };

type Reads = Pick<
  CriService,
  | 'status'
  | 'podSandboxStatus'
  | 'listPodSandbox'
  | 'containerStatus'
  | 'listContainers'
  | 'containerStats'
  | 'listContainerStats'
>;

/** Status, lists, statuses and stats. Lists are newest first, as Docker's. */
export const dockerReads = (engine: CriService, clock: Clock): Reads => ({
  status: async (request, call) => {
    const { status } = decoded(StatusResponse, await engine.status(request, call));
    return { status, runtimeHandlers: [], features: undefined, info: request.verbose ? statusInfo() : {} };
  },
  podSandboxStatus: async (request, call) => {
    const reply = await engine.podSandboxStatus({ ...request, verbose: false }, call);
    const { status, ...rest } = decoded(PodSandboxStatusResponse, reply);
    return { ...rest, status: status && shownSandbox(status) };
  },
  listPodSandbox: async (request, call) => {
    const { items } = decoded(ListPodSandboxResponse, await engine.listPodSandbox(request, call));
    return { items: items.map(listedSandbox).reverse() };
  },
  containerStatus: async (request, call) => {
    const reply = await engine.containerStatus(request, call);
    const { status, info } = decoded(ContainerStatusResponse, reply);
    const isRunning = status?.state === ContainerState.CONTAINER_RUNNING;
    return {
      status: status && { ...shownStatus(status), resources: undefined },
      info: request.verbose ? containerInfo(info, isRunning) : {},
    };
  },
  listContainers: async (request, call) => {
    if (isShortened(request.filter?.podSandboxId)) return { containers: [] };
    const { containers } = decoded(ListContainersResponse, await engine.listContainers(request, call));
    return { containers: containers.map(listedContainer).reverse() };
  },
  containerStats: async (request, call) => {
    const containerId = request.containerId || (await onlyContainer(engine, call));
    const reply = await engine.containerStats({ containerId }, call);
    return Buffer.isBuffer(reply) ? reply : { stats: reply.stats && shownStats(reply.stats, clock.now()) };
  },
  listContainerStats: async (request, call) => {
    if (isShortened(request.filter?.podSandboxId)) return { stats: [] };
    const reply = await engine.listContainerStats(request, call);
    if (Buffer.isBuffer(reply)) return reply;
    return { stats: reply.stats.map((stats) => shownStats(stats, clock.now())) };
  },
});

/** A container's summed stats: zero if it isn't running (core/stats_linux.go). */
function shownStats({ attributes, cpu, memory, writableLayer }: ContainerStats, now: bigint): ContainerStats {
  return {
    attributes,
    cpu: {
      timestamp: now,
      usageCoreNanoSeconds: cpu?.usageCoreNanoSeconds ?? ZERO,
      usageNanoCores: undefined,
      psi: undefined,
    },
    memory: {
      timestamp: now,
      workingSetBytes: memory?.workingSetBytes ?? ZERO,
      availableBytes: undefined,
      usageBytes: undefined,
      rssBytes: undefined,
      pageFaults: undefined,
      majorPageFaults: undefined,
      psi: undefined,
    },
    writableLayer: writableLayer && {
      ...writableLayer,
      fsId: { mountpoint: '/var/lib/docker' },
      inodesUsed: undefined,
    },
    swap: undefined,
    io: undefined,
  };
}

/** cri-dockerd compares a filter's sandbox with a label, which has the whole id. */
const isShortened = (podSandboxId = ''): boolean => podSandboxId !== '' && podSandboxId.length < 64;

/** For an empty id, ContainerStats lists by a filter: returns the only container, or "" if there are several. */
async function onlyContainer(engine: CriService, call: Call): Promise<string> {
  const reply = await engine.listContainers({ filter: undefined }, call);
  const { containers } = decoded(ListContainersResponse, reply);
  return containers.length === 1 ? (containers[0]?.id ?? '') : '';
}

/** Information for Status (core/docker_service.go). */
const statusInfo = (): Info => ({
  config: JSON.stringify({ sandboxImage: 'registry.k8s.io/pause:3.10' }),
});

/** Information for ContainerStatus (core/convert.go), from the engine's info. */
function containerInfo(given: Info, isRunning: boolean): Info {
  const { sandboxID, pid } = parseInfo<{ readonly sandboxID: string; readonly pid: number }>(given);
  return infoOf({ sandboxID, pid: isRunning ? pid : 0 });
}
