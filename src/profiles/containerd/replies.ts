import { StatusError } from '../../cri/errors.js';
import {
  ContainerState,
  ContainerStatusResponse,
  type Image,
  ListPodSandboxStatsResponse,
  NamespaceMode,
  type PodSandboxStats,
  PodSandboxStatsResponse,
  PodSandboxStatusResponse,
  type RuntimeHandler,
  StatusResponse,
} from '../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../cri/layer.js';
import type { Call, CriService } from '../../cri/service.js';
import { Code } from '../../cri/status-code.js';
import { runcText } from './errors.js';
import { containerInfo, type Info, type InfoFacts, runtimeInfo, sandboxIdIn, sandboxInfo } from './info.js';
import { shownOne, shownPodStats, shownStats } from './stats.js';

/** What replies say in one version. */
export interface ReplyFacts {
  /** As Version has it. */
  readonly version: string;
  /** Whether Status lists runtime handlers and features (cri-api v0.30 and v0.31). */
  readonly listsHandlers: boolean;
  /** After the text of a command that runc could not start. */
  readonly ociFailed: string;
  readonly info: InfoFacts;
}

/** Replies of containerd that do not come from its state: Version, Status, ListImages, ImageFsInfo. */
export const containerdReplies =
  ({ version, listsHandlers, ociFailed, info: facts }: ReplyFacts): Layer =>
  (engine) => ({
    ...engine,
    version: () => ({
      version: '0.1.0',
      runtimeName: 'containerd',
      runtimeVersion: version,
      runtimeApiVersion: 'v1',
    }),
    status: async (request, call) => {
      const given = await engine.status(request, call);
      const reply = decoded(StatusResponse, given);
      const conditions = [...(reply.status?.conditions ?? []), NO_WARNINGS];
      return {
        ...reply,
        info: request.verbose ? runtimeInfo(reply.info, facts) : reply.info,
        status: { conditions },
        runtimeHandlers: listsHandlers ? reply.runtimeHandlers : [],
        features: listsHandlers ? FEATURES : undefined,
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
    // The filter is ignored (images/image_list.go).
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
      return { stats: stats && (await shownPod(engine, stats, call)) };
    },
    listPodSandboxStats: async (request, call) => {
      const { stats } = decoded(ListPodSandboxStatsResponse, await engine.listPodSandboxStats(request, call));
      return { stats: await Promise.all(stats.map((each) => shownPod(engine, each, call))) };
    },
    execSync: async (request, call) => {
      try {
        return await engine.execSync(request, call);
      } catch (error) {
        if (!(error instanceof StatusError && error.message.includes('OCI runtime exec failed'))) throw error;
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
  });

/** Some replies are in wire form. */
const decoded = <T>(type: { decode(wire: Uint8Array): T }, reply: T | Buffer): T =>
  Buffer.isBuffer(reply) ? type.decode(reply) : reply;

/** The sandbox of a container, unless it is being removed. */
async function sandboxOf(engine: CriService, containerInfo: Info, call: Call) {
  const podSandboxId = sandboxIdIn(containerInfo);
  const reply = await engine.podSandboxStatus({ podSandboxId, verbose: true }, call);
  const { status, info } = decoded(PodSandboxStatusResponse, reply);
  return status && { status, info };
}

/** A sandbox in the network of the host has no stats of it. */
async function shownPod(engine: CriService, stats: PodSandboxStats, call: Call): Promise<PodSandboxStats> {
  const shown = shownPodStats(stats);
  const podSandboxId = stats.attributes?.id ?? '';
  const reply = await engine.podSandboxStatus({ podSandboxId, verbose: false }, call);
  const { status } = decoded(PodSandboxStatusResponse, reply);
  const isOnHost = status?.linux?.namespaces?.options?.network === NamespaceMode.NODE;
  return isOnHost && shown.linux ? { ...shown, linux: { ...shown.linux, network: undefined } } : shown;
}

/** As where CRIU is not installed, which is the case unless somebody does. It comes before the look for the container. */
const noCriu = (id: string): string =>
  `CRIU binary not found or too old (<31600). Failed to checkpoint container "${id}": failed to check for criu version: exec: "criu": executable file not found in $PATH`;

/** The user of an image whose config names none is not shown. */
const shownImage = (image: Image): Image => (image.uid?.value === 0n ? { ...image, uid: undefined } : image);

const FEATURES = { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false, mountOptions: false };

const NO_WARNINGS = { type: 'ContainerdHasNoDeprecationWarnings', status: true, reason: '', message: '' };

/** The default handler has a name too (config.toml). */
export const containerdHandlers = (given: readonly RuntimeHandler[]): readonly RuntimeHandler[] =>
  given.flatMap((handler) => (handler.name === '' ? [handler, { ...handler, name: 'runc' }] : [handler]));
