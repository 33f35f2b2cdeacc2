import { StatusError } from '../../cri/errors.js';
import type { ContainerStats, Image, RuntimeHandler, StatusResponse } from '../../cri/gen/runtime/v1/api.js';
import { StatusResponse as StatusResponses } from '../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../cri/layer.js';
import { Code } from '../../cri/status-code.js';

/** What replies say in one version. */
export interface ReplyFacts {
  /** As Version has it. */
  readonly version: string;
  /** Whether Status lists runtime handlers and features (cri-api v0.30 and v0.31). */
  readonly listsHandlers: boolean;
  /** After the text of a command that runc could not start. */
  readonly ociFailed: string;
}

/** Replies of containerd that do not come from its state: Version, Status, ListImages, ImageFsInfo. */
export const containerdReplies =
  ({ version, listsHandlers, ociFailed }: ReplyFacts): Layer =>
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
      const reply: StatusResponse = Buffer.isBuffer(given) ? StatusResponses.decode(given) : given;
      const conditions = [...(reply.status?.conditions ?? []), NO_WARNINGS];
      return {
        ...reply,
        status: { conditions },
        runtimeHandlers: listsHandlers ? reply.runtimeHandlers : [],
        features: listsHandlers ? FEATURES : undefined,
      };
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
      return { stats: shownStats(reply.stats) };
    },
    listContainerStats: async (request, call) => {
      const reply = await engine.listContainerStats(request, call);
      return Buffer.isBuffer(reply) ? reply : { stats: reply.stats.map(shownStats) };
    },
    execSync: async (request, call) => {
      try {
        return await engine.execSync(request, call);
      } catch (error) {
        if (!(error instanceof StatusError && error.message.includes('OCI runtime exec failed'))) throw error;
        throw new StatusError(error.code, `${error.message}${ociFailed}`, { cause: error });
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

/** As where CRIU is not installed, which is the case unless somebody does. It comes before the look for the container. */
const noCriu = (id: string): string =>
  `CRIU binary not found or too old (<31600). Failed to checkpoint container "${id}": failed to check for criu version: exec: "criu": executable file not found in $PATH`;

/** The user of an image whose config names none is not shown. */
const shownImage = (image: Image): Image => (image.uid?.value === 0n ? { ...image, uid: undefined } : image);

/** Without what cri-api has since v0.33: pressure (PSI) and IO. */
const shownStats = ({ cpu, memory, ...stats }: ContainerStats): ContainerStats => ({
  ...stats,
  cpu: cpu && { ...cpu, psi: undefined },
  memory: memory && { ...memory, psi: undefined },
  io: undefined,
});

const FEATURES = { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false, mountOptions: false };

const NO_WARNINGS = { type: 'ContainerdHasNoDeprecationWarnings', status: true, reason: '', message: '' };

/** The default handler has a name too (config.toml). */
export const containerdHandlers = (given: readonly RuntimeHandler[]): readonly RuntimeHandler[] =>
  given.flatMap((handler) => (handler.name === '' ? [handler, { ...handler, name: 'runc' }] : [handler]));
