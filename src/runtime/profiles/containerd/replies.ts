import type { Clock } from '../../../base/clock/clock.js';
import { NotExecutedError, StatusError } from '../../../cri/errors.js';
import {
  ContainerState,
  ContainerStatusResponse,
  type Image,
  ImageSpec,
  ImageStatusResponse,
  ListContainersResponse,
  ListPodSandboxStatsResponse,
  type PodSandboxStats,
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
import type { Info } from '../info.js';
import { runcText } from './errors.js';
import { containerInfo, type InfoFacts, runtimeInfo, sandboxIdIn, sandboxInfo } from './info.js';
import { reopening } from './logs.js';
import { removals } from './removals.js';
import { shownOne, shownStats } from './stats.js';

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

export interface ReplyFacts {
  /** Features, and then runtime handlers, in Status (cri-api v0.30 and v0.31); undefined for neither. */
  readonly features: RuntimeFeatures | undefined;
  readonly podStats: (stats: PodSandboxStats) => PodSandboxStats;
  /** The text after the one about a command that runc could not start. */
  readonly ociFailed: string;
  /**
   * Whether one of two concurrent RemovePodSandbox calls fails: this depends on chance, and is the more frequent
   * result.
   */
  readonly removalsClash: boolean;
  readonly info: InfoFacts;
}

/** Replies of containerd that do not depend on its state: Status, ListImages, ImageFsInfo. */
export const containerdReplies =
  ({ features, podStats, ociFailed, removalsClash, info: facts }: ReplyFacts, clock: Clock): Layer =>
  (given) => {
    const engine = imageRefs(given);
    return {
      ...engine,
      status: async (request, call) => {
        const given = await engine.status(request, call);
        const reply = decoded(StatusResponse, given);
        const conditions = [...(reply.status?.conditions ?? []), NO_WARNINGS];
        return {
          ...reply,
          info: request.verbose ? runtimeInfo(reply.info, facts) : reply.info,
          status: { conditions },
          runtimeHandlers: features === undefined ? [] : reply.runtimeHandlers,
          features,
        };
      },
      podSandboxStatus: async (request, call) => {
        const reply = await engine.podSandboxStatus(request, call);
        if (!request.verbose) return reply;
        const { status, ...rest } = decoded(PodSandboxStatusResponse, reply);
        if (status === undefined) return reply;
        return { ...rest, status, info: sandboxInfo(rest.info, status, facts) };
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
      removePodSandbox: removalsClash ? removals(engine, clock) : engine.removePodSandbox,
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
        const reply = await engine.listContainerStats(request, call);
        return Buffer.isBuffer(reply) ? reply : { stats: reply.stats.map(shownStats) };
      },
      podSandboxStats: async (request, call) => {
        const { stats } = decoded(PodSandboxStatsResponse, await engine.podSandboxStats(request, call));
        return { stats: stats && podStats(stats) };
      },
      listPodSandboxStats: async (request, call) => {
        const { stats } = decoded(
          ListPodSandboxStatsResponse,
          await engine.listPodSandboxStats(request, call),
        );
        return { stats: stats.map(podStats) };
      },
      execSync: async (request, call) => {
        try {
          return await engine.execSync(request, call);
        } catch (error) {
          if (!(error instanceof NotExecutedError)) throw error;
          throw new StatusError(error.code, runcText(error.message, { ociFailed }), { cause: error });
        }
      },
      checkpointContainer: ({ containerId }) => {
        throw new StatusError(Code.UNKNOWN, noCriu(containerId));
      },
      imageFsInfo: async (request, call) => {
        const reply = await engine.imageFsInfo(request, call);
        return Buffer.isBuffer(reply) ? reply : { ...reply, containerFilesystems: [] };
      },
    };
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

/** CRIU is usually not installed. containerd checks that before it looks up the container. */
const noCriu = (id: string): string =>
  `CRIU binary not found or too old (<31600). Failed to checkpoint container "${id}": failed to check for criu version: exec: "criu": executable file not found in $PATH`;

/** Hides the user of an image whose config has none. */
const shownImage = (image: Image): Image => (image.uid?.value === 0n ? { ...image, uid: undefined } : image);

const NO_WARNINGS = { type: 'ContainerdHasNoDeprecationWarnings', status: true, reason: '', message: '' };

/** The default handler has a name too (config.toml). */
export const containerdHandlers = (given: readonly RuntimeHandler[]): readonly RuntimeHandler[] =>
  given.flatMap((handler) => (handler.name === '' ? [handler, { ...handler, name: 'runc' }] : [handler]));
