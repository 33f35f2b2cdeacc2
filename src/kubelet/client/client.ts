import type { CallOptions, CriClient } from '../../cri/client/client.js';
import {
  type Container,
  type ContainerConfig,
  type ContainerEventResponse,
  type ContainerFilter,
  ContainerFilter as ContainerFilters,
  type ContainerStatsFilter,
  type ContainerStatus,
  type ExecSyncResponse,
  type LinuxContainerResources,
  ListContainerStatsRequest,
  type PodSandbox,
  type PodSandboxConfig,
  type PodSandboxFilter,
  PodSandboxFilter as PodSandboxFilters,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
  type RuntimeStatus,
  UpdateContainerResourcesRequest,
  UpdatePodSandboxResourcesRequest,
  type VersionResponse,
} from '../../cri/gen/runtime/v1/api.js';
import { KUBELET_API_VERSION } from '../../cri/kubelet-api-version.js';
import { isUnimplemented } from './errors.js';

export interface ContainerBytes {
  readonly name: string;
  readonly memory: bigint;
  readonly layer: bigint;
}

/** The runtime service with the kubelet's deadlines and unwrapped replies (cri-client remote_runtime.go). */
export interface RuntimeClient {
  version(): Promise<Pick<VersionResponse, 'version' | 'runtimeName'>>;
  status(): Promise<RuntimeStatus>;
  runtimeConfig(): Promise<void>;
  listSandboxes(filter?: Partial<PodSandboxFilter>): Promise<readonly PodSandbox[]>;
  listContainers(filter?: Partial<ContainerFilter>): Promise<readonly Container[]>;
  sandboxStatus(id: string): Promise<PodSandboxStatusResponse>;
  containerStatus(id: string): Promise<ContainerStatus>;
  runSandbox(config: PodSandboxConfig, runtimeHandler: string): Promise<string>;
  stopSandbox(id: string): Promise<void>;
  removeSandbox(id: string): Promise<void>;
  createContainer(sandbox: string, config: ContainerConfig, sandboxConfig: PodSandboxConfig): Promise<string>;
  startContainer(id: string): Promise<void>;
  /** `grace` is in seconds. */
  stopContainer(id: string, grace: number): Promise<void>;
  removeContainer(id: string): Promise<void>;
  updateContainerResources(id: string, linux: Partial<LinuxContainerResources>): Promise<void>;
  updateSandboxResources(id: string, resources: Partial<LinuxContainerResources>): Promise<void>;
  /** Bytes of memory, and of the writable layer, of running containers. */
  containerStats(filter: Partial<ContainerStatsFilter>): Promise<readonly ContainerBytes[]>;
  reopenLog(id: string): Promise<void>;
  /** `timeout` is in seconds; 0 means no limit. `cancelled` replaces the signal of all calls. */
  execSync(
    id: string,
    command: readonly string[],
    timeout: number,
    cancelled?: AbortSignal,
  ): Promise<ExecSyncResponse>;
  events(signal: AbortSignal): AsyncIterable<ContainerEventResponse>;
}

export interface RuntimeClientOptions {
  readonly cri: CriClient;
  /** runtimeRequestTimeout in ms; the kubelet's default is two minutes. */
  readonly requestTimeout: number;
  /** CRIListStreaming (KEP-5825): uses the streaming lists until the runtime returns Unimplemented. */
  readonly streamLists: boolean;
  /** Aborts all calls in progress when the kubelet stops. */
  readonly signal: AbortSignal;
}

/** As in cri-client: twice the default for RunPodSandbox; StopContainer and ExecSync add their own timeout. */
export function createRuntimeClient(options: RuntimeClientOptions): RuntimeClient {
  const { cri, requestTimeout, signal } = options;
  const within = (timeout: number): CallOptions => ({ timeout, signal });
  const usual = within(requestTimeout);

  return {
    ...createLists(options, usual),
    version: () => cri.version({ version: KUBELET_API_VERSION }, usual),
    status: async () => {
      const { status } = await cri.status({ verbose: false }, usual);
      if (status === undefined || status.conditions.length < 2)
        throw new Error('RuntimeReady or NetworkReady condition are not set');
      return status;
    },
    runtimeConfig: async () => {
      await cri.runtimeConfig({}, usual);
    },
    sandboxStatus: async (id) => {
      const reply = await cri.podSandboxStatus({ podSandboxId: id, verbose: false }, usual);
      if (reply.status !== undefined) verifySandboxStatus(reply.status);
      return reply;
    },
    containerStatus: async (id) => {
      const { status } = await cri.containerStatus({ containerId: id, verbose: false }, usual);
      if (status === undefined) throw new Error('container status is nil');
      verifyContainerStatus(status);
      return status;
    },
    runSandbox: async (config, runtimeHandler) =>
      (await cri.runPodSandbox({ config, runtimeHandler }, within(2 * requestTimeout))).podSandboxId,
    stopSandbox: async (id) => {
      await cri.stopPodSandbox({ podSandboxId: id }, usual);
    },
    removeSandbox: async (id) => {
      await cri.removePodSandbox({ podSandboxId: id }, usual);
    },
    createContainer: async (podSandboxId, config, sandboxConfig) =>
      (await cri.createContainer({ podSandboxId, config, sandboxConfig }, usual)).containerId,
    startContainer: async (id) => {
      await cri.startContainer({ containerId: id }, usual);
    },
    stopContainer: async (id, grace) => {
      const limit = within(requestTimeout + grace * 1000);
      await cri.stopContainer({ containerId: id, timeout: BigInt(grace) }, limit);
    },
    removeContainer: async (id) => {
      await cri.removeContainer({ containerId: id }, usual);
    },
    updateContainerResources: async (containerId, linux) => {
      const request = UpdateContainerResourcesRequest.fromPartial({ containerId, linux });
      await cri.updateContainerResources(request, usual);
    },
    updateSandboxResources: async (podSandboxId, resources) => {
      const request = { podSandboxId, overhead: {}, resources };
      await cri.updatePodSandboxResources(UpdatePodSandboxResourcesRequest.fromPartial(request), usual);
    },
    containerStats: async (filter) => {
      const { stats } = await cri.listContainerStats(
        ListContainerStatsRequest.fromPartial({ filter }),
        usual,
      );
      return stats.map(({ attributes, memory, writableLayer }) => ({
        name: attributes?.metadata?.name ?? '',
        memory: memory?.usageBytes?.value ?? memory?.workingSetBytes?.value ?? 0n,
        layer: writableLayer?.usedBytes?.value ?? 0n,
      }));
    },
    reopenLog: async (id) => {
      await cri.reopenContainerLog({ containerId: id }, usual);
    },
    execSync: (id, command, timeout, cancelled = signal) =>
      cri.execSync(
        { containerId: id, cmd: [...command], timeout: BigInt(timeout) },
        { signal: cancelled, ...(timeout > 0 && { timeout: requestTimeout + timeout * 1000 }) },
      ),
    events: (stopped) => cri.getContainerEvents({}, { signal: stopped }),
  };
}

type Lists = Pick<RuntimeClient, 'listSandboxes' | 'listContainers'>;

function createLists({ cri, streamLists }: RuntimeClientOptions, usual: CallOptions): Lists {
  let streaming = streamLists;

  const list = async <T>(streamed: () => AsyncIterable<T[]>, unary: () => Promise<T[]>): Promise<T[]> => {
    if (!streaming) return unary();
    try {
      const all: T[] = [];
      for await (const page of streamed()) all.push(...page);
      return all;
    } catch (error) {
      if (!isUnimplemented(error)) throw error;
      streaming = false;
      return unary();
    }
  };

  return {
    listSandboxes: (given = {}) => {
      const filter = PodSandboxFilters.fromPartial(given);
      return list(
        () => pages(cri.streamPodSandboxes({ filter }, usual), (reply) => reply.podSandboxes),
        async () => (await cri.listPodSandbox({ filter }, usual)).items,
      );
    },
    listContainers: (given = {}) => {
      const filter = ContainerFilters.fromPartial(given);
      return list(
        () => pages(cri.streamContainers({ filter }, usual), (reply) => reply.containers),
        async () => (await cri.listContainers({ filter }, usual)).containers,
      );
    },
  };
}

async function* pages<R, T>(replies: AsyncIterable<R>, items: (reply: R) => T[]): AsyncGenerator<T[]> {
  for await (const reply of replies) yield items(reply);
}

/** verifySandboxStatus (cri-client utils.go): throws if a required field is missing. */
export function verifySandboxStatus({ id, metadata, createdAt }: PodSandboxStatus): void {
  const { name, namespace, uid } = metadata ?? { name: '', namespace: '', uid: '' };
  if (id === '') throw new Error('status.Id is not set');
  if (metadata === undefined) throw new Error('status.Metadata is not set');
  if (name === '' || namespace === '' || uid === '') {
    throw new Error(
      `metadata.Name, metadata.Namespace or metadata.Uid is not in metadata ${JSON.stringify(metadata)}`,
    );
  }
  if (createdAt === 0n) throw new Error('status.CreatedAt is not set');
}

/** verifyContainerStatus (cri-client utils.go): throws if a required field is missing. */
export function verifyContainerStatus({ id, metadata, createdAt, image, imageRef }: ContainerStatus): void {
  if (id === '') throw new Error('status.Id is not set');
  if (metadata === undefined) throw new Error('status.Metadata is not set');
  if (metadata.name === '') {
    throw new Error(`metadata.Name is not in metadata ${JSON.stringify(metadata)}`);
  }
  if (createdAt === 0n) throw new Error('status.CreatedAt is not set');
  if (image === undefined || image.image === '') throw new Error('status.Image is not set');
  if (imageRef === '') throw new Error('status.ImageRef is not set');
}
