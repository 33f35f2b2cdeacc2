import type { Clock } from '../../../base/clock/clock.js';
import { NotExecutedError, StatusError } from '../../../cri/errors.js';
import {
  ContainerState,
  type ContainerStats,
  ContainerStatusResponse,
  type Image,
  ImageSpec,
  ImageStatusResponse,
  LinuxContainerResources,
  ListContainerStatsResponse,
  ListContainersResponse,
  ListPodSandboxStatsResponse,
  PodSandboxStatsResponse,
  PodSandboxStatusResponse,
  type RuntimeFeatures,
  type RuntimeHandler,
  StatusResponse,
  type UpdateContainerResourcesRequest,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../../cri/layer.js';
import type { Call, CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { decoded } from '../decoded.js';
import { goJson } from '../go-json.js';
import { type Info, parseInfo } from '../info.js';
import type { RuntimeProfile } from '../profile.js';
import { streamsOf } from '../streams.js';
import { runcText } from './errors.js';
import { containerInfo, type InfoFacts, runtimeInfo, sandboxIdIn, sandboxInfo } from './info.js';
import { reopening } from './logs.js';
import { containerdMetrics, type MetricFacts } from './metrics.js';
import { removals } from './removals.js';
import { shownOne, shownPodStats, shownStats } from './stats.js';

/** A container that has lived for this long was measured twice, once a second (stats_collector.go), in nanoseconds. */
const MEASURED_TWICE = 2_000_000_000n;

/** containerd knows the digests of existing images only: for others, image_ref in ContainerStatus is the id. */
const imageRefs: Layer = (engine) => {
  // Clients request statuses often, and most images stay.
  let hasRemoved = false;
  return {
    ...engine,
    removeImage: (request, call) => {
      hasRemoved = true;
      return engine.removeImage(request, call);
    },
    containerStatus: async (request, call) => {
      const given = await engine.containerStatus(request, call);
      if (!hasRemoved) return given;
      const { status, info } = decoded(ContainerStatusResponse, given);
      if (status === undefined) return given;
      const { id, imageRef } = status;
      const image = ImageSpec.fromPartial({ image: imageRef });
      const found = decoded(ImageStatusResponse, await engine.imageStatus({ image, verbose: false }, call));
      if (found.image !== undefined) return given;
      const filter = { id, podSandboxId: '', labelSelector: {}, state: undefined };
      const listed = decoded(ListContainersResponse, await engine.listContainers({ filter }, call));
      return { status: { ...status, imageRef: listed.containers[0]?.imageRef ?? imageRef }, info };
    },
  };
};

const FEATURES: RuntimeFeatures = {
  supplementalGroupsPolicy: true,
  userNamespacesHostNetwork: true,
  mountOptions: false,
};

/** The sysctls of enable_unprivileged_ports and enable_unprivileged_icmp, which are on. */
const SYSCTLS = {
  'net.ipv4.ip_unprivileged_port_start': '0',
  'net.ipv4.ping_group_range': '0 2147483647',
};

/** What containerd answers in another way than the engine; `config` is the one in its Status. */
export const containerdReplies =
  (config: () => object, metricFacts: MetricFacts): RuntimeProfile['replies'] =>
  (clock, streamItems) =>
  (given) => {
    const facts: InfoFacts = {
      golang: 'go1.26.8',
      config: config(),
      ociVersion: '1.3.0',
      sysctls: SYSCTLS,
    };
    const engine = imageRefs(given);
    const withRates = rates(given, clock);
    const lists: CriService = {
      ...engine,
      status: async (request, call) => {
        const given = await engine.status(request, call);
        const reply = decoded(StatusResponse, given);
        const conditions = [...(reply.status?.conditions ?? []), NO_WARNINGS];
        return {
          ...reply,
          info: request.verbose ? runtimeInfo(reply.info, facts) : reply.info,
          status: { conditions },
          features: FEATURES,
        };
      },
      podSandboxStatus: async (request, call) => {
        const reply = await engine.podSandboxStatus({ ...request, verbose: true }, call);
        const { status, info, ...rest } = decoded(PodSandboxStatusResponse, reply);
        if (status === undefined) return reply;
        const shown = request.verbose ? parseInfo<object>(sandboxInfo(info, status, facts)) : NO_INFO;
        return { ...rest, status, info: { info: JSON.stringify({ ...shown, ...updated(info) }) } };
      },
      containerStatus: async (request, call) => {
        const reply = await engine.containerStatus(request, call);
        if (!request.verbose) return reply;
        const { status, info } = decoded(ContainerStatusResponse, reply);
        const pod = await sandboxOf(engine, info, call);
        if (status === undefined || pod === undefined) return reply;
        const isRunning = status.state === ContainerState.CONTAINER_RUNNING;
        return { status, info: containerInfo(info, { id: status.id, isRunning }, pod, facts) };
      },
      updateContainerResources: (request, call) =>
        engine.updateContainerResources(withoutScore(request), call),
      reopenContainerLog: reopening(engine),
      removePodSandbox: removals(engine, clock),
      // containerd ignores the filter (images/image_list.go).
      listImages: async (_, call) => {
        const reply = await engine.listImages({ filter: undefined }, call);
        return Buffer.isBuffer(reply) ? reply : { images: reply.images.map(shownImage) };
      },
      imageStatus: async (request, call) => {
        const reply = await engine.imageStatus(request, call);
        return Buffer.isBuffer(reply) ? reply : { ...reply, image: reply.image && shownImage(reply.image) };
      },
      containerStats: async (request, call) => {
        const reply = await engine.containerStats(request, call);
        if (Buffer.isBuffer(reply)) return reply;
        if (reply.stats?.cpu === undefined)
          throw new StatusError(Code.UNKNOWN, 'unexpected metrics response: []');
        return { stats: shownOne(reply.stats) };
      },
      listContainerStats: async (request, call) => {
        const { stats } = decoded(ListContainerStatsResponse, await engine.listContainerStats(request, call));
        return { stats: await withRates(stats.map(shownStats), call) };
      },
      podSandboxStats: async (request, call) => {
        const { stats } = decoded(PodSandboxStatsResponse, await engine.podSandboxStats(request, call));
        return { stats: stats && shownPodStats(stats) };
      },
      listPodSandboxStats: async (request, call) => {
        const { stats } = decoded(
          ListPodSandboxStatsResponse,
          await engine.listPodSandboxStats(request, call),
        );
        return { stats: stats.map(shownPodStats) };
      },
      execSync: async (request, call) => {
        try {
          return await engine.execSync(request, call);
        } catch (error) {
          if (!(error instanceof NotExecutedError)) throw error;
          throw new StatusError(error.code, runcText(error.message), { cause: error });
        }
      },
      checkpointContainer: ({ containerId }) => {
        throw new StatusError(
          Code.UNKNOWN,
          `failed to checkpoint container "${containerId}": criu binary not found in shim path or system PATH`,
        );
      },
      imageFsInfo: async (request, call) => {
        const reply = await engine.imageFsInfo(request, call);
        return Buffer.isBuffer(reply) ? reply : { ...reply, containerFilesystems: [] };
      },
      ...containerdMetrics(given, clock, metricFacts),
    };
    return { ...lists, ...streamsOf(lists, streamItems) };
  };

/** An update leaves the OOM score unchanged. */
const withoutScore = (request: UpdateContainerResourcesRequest): UpdateContainerResourcesRequest => ({
  ...request,
  linux: request.linux && { ...request.linux, oomScoreAdj: 0n },
});

async function sandboxOf(engine: CriService, containerInfo: Info, call: Call) {
  const podSandboxId = sandboxIdIn(containerInfo);
  const reply = await engine.podSandboxStatus({ podSandboxId, verbose: true }, call);
  const { status, info } = decoded(PodSandboxStatusResponse, reply);
  return status && { status, info };
}

/**
 * For lists of stats: usage_nano_cores is the rate since the last measurement, and unset after the first one
 * (getUsageNanoCores). A list measures containers that no collector has measured.
 */
function rates(engine: CriService, clock: Clock) {
  let measured = new Set<string>();
  return async (stats: readonly ContainerStats[], call: Call): Promise<ContainerStats[]> => {
    const reply = await engine.listContainers({ filter: undefined }, call);
    const { containers } = decoded(ListContainersResponse, reply);
    const createdAt = new Map(containers.map((container) => [container.id, container.createdAt]));
    const now = clock.now();
    const hasRate = (id: string) => measured.has(id) || now - (createdAt.get(id) ?? now) >= MEASURED_TWICE;
    const shown = stats.map(({ cpu, ...rest }) => ({
      ...rest,
      cpu: cpu && (hasRate(rest.attributes?.id ?? '') ? cpu : { ...cpu, usageNanoCores: undefined }),
    }));
    const listed = stats.flatMap(({ cpu, attributes }) => (cpu && attributes ? [attributes.id] : []));
    measured = new Set([...measured, ...listed].filter((id) => createdAt.has(id)));
    return shown;
  };
}

/** PodSandboxStatus has this even without `verbose`, as encoding/json writes an empty struct (setUpdatedResources). */
const NO_INFO = {
  pid: 0,
  processStatus: '',
  netNamespaceClosed: false,
  image: '',
  snapshotKey: '',
  snapshotter: '',
  runtimeType: '',
  runtimeOptions: null,
  config: null,
  runtimeSpec: null,
  cniResult: null,
  sandboxMetadata: null,
};

function updated(given: Info): object {
  const { overhead, resources } = parseInfo<object>(given) as { overhead?: object; resources?: object };
  if (overhead === undefined && resources === undefined) return {};
  return { overhead: linux(overhead), resources: linux(resources) };
}

const linux = (resources: object | undefined): object =>
  resources === undefined ? {} : { linux: goJson(LinuxContainerResources.fromJSON(resources)) };

/** Hides the user of an image whose config has none. */
const shownImage = (image: Image): Image => (image.uid?.value === 0n ? { ...image, uid: undefined } : image);

const NO_WARNINGS = { type: 'ContainerdHasNoDeprecationWarnings', status: true, reason: '', message: '' };

/** The default handler has a name too (config.toml). */
export const containerdHandlers = (given: readonly RuntimeHandler[]): readonly RuntimeHandler[] =>
  given.flatMap((handler) => (handler.name === '' ? [handler, { ...handler, name: 'runc' }] : [handler]));
