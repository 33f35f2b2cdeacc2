import type {
  ContainerEventResponse,
  ContainerStatusResponse,
  ListContainersResponse,
  ListPodSandboxResponse,
  PodSandboxStatusResponse,
} from '../cri/gen/runtime/v1/api.js';
import type { ContainerName, PodName, Subject } from './entries.js';
import type { Message } from './message.js';

/** Objects that are remembered after their removal, so that late calls still have names. */
const MOST_OBJECTS = 20_000;

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly attempt: number;
}

/** The fields by which requests name their objects, over all RPCs. */
interface AnyRequest {
  readonly containerId?: string;
  readonly podSandboxId?: string;
  readonly sandboxId?: string;
  readonly config?: { readonly metadata?: Metadata | undefined } | undefined;
  readonly sandboxConfig?: { readonly metadata?: Metadata | undefined } | undefined;
  readonly filter?: { readonly id?: string; readonly podSandboxId?: string } | undefined;
}

interface KnownContainer {
  readonly name: ContainerName;
  readonly sandboxId: string;
}

/** Learns from a conversation which id is which pod and container. */
export interface Subjects {
  /** What a request is about, as far as that is known by now. */
  ofRequest(method: string, request: object): Subject;
  /** What a message of a stream is about: a container event. */
  ofMessage(method: string, message: Message): Subject;
  /** Learns from an answered call. */
  learn(method: string, request: Message, reply: Message): void;
}

/** Knows nothing at first. */
export function createSubjects(): Subjects {
  const pods = new Map<string, PodName>();
  const containers = new Map<string, KnownContainer>();
  const lastLists = new Map<string, Buffer>();

  const addPod = (id: string, metadata: Metadata | undefined) => {
    if (metadata === undefined || pods.has(id)) return;
    pods.set(id, podOf(metadata, id));
    forgetOldest(pods);
  };
  const addContainer = (id: string, sandboxId: string, metadata: Metadata | undefined) => {
    if (metadata === undefined || containers.has(id)) return;
    containers.set(id, { name: { id, name: metadata.name, attempt: metadata.attempt }, sandboxId });
    forgetOldest(containers);
  };
  /** Lists repeat themselves: only a new one is looked at. */
  const isNew = (method: string, reply: Message): boolean => {
    const bytes = reply.bytes();
    if (lastLists.get(method)?.equals(bytes)) return false;
    lastLists.set(method, bytes);
    return true;
  };

  const readers: Readonly<Record<string, (request: AnyRequest, reply: Message) => void>> = {
    RunPodSandbox: ({ config }, reply) =>
      addPod(reply.value<{ podSandboxId: string }>().podSandboxId, config?.metadata),
    CreateContainer: ({ podSandboxId = '', config, sandboxConfig }, reply) => {
      addPod(podSandboxId, sandboxConfig?.metadata);
      addContainer(reply.value<{ containerId: string }>().containerId, podSandboxId, config?.metadata);
    },
    ListPodSandbox: (_, reply) => {
      if (!isNew('ListPodSandbox', reply)) return;
      for (const { id, metadata } of reply.value<ListPodSandboxResponse>().items) addPod(id, metadata);
    },
    ListContainers: (_, reply) => {
      if (!isNew('ListContainers', reply)) return;
      for (const { id, podSandboxId, metadata } of reply.value<ListContainersResponse>().containers)
        addContainer(id, podSandboxId, metadata);
    },
    PodSandboxStatus: ({ podSandboxId = '' }, reply) => {
      if (pods.has(podSandboxId)) return;
      const { status } = reply.value<PodSandboxStatusResponse>();
      if (status !== undefined) addPod(status.id, status.metadata);
    },
    ContainerStatus: ({ containerId = '' }, reply) => {
      if (containers.has(containerId)) return;
      const { status } = reply.value<ContainerStatusResponse>();
      if (status !== undefined) addContainer(status.id, '', status.metadata);
    },
  };

  const ofContainer = (id: string): Subject => {
    const found = containers.get(id) ?? unique(containers, id);
    if (found === undefined) return {};
    return { pod: pods.get(found.sandboxId), container: found.name };
  };

  return {
    learn: (method, request, reply) => readers[method]?.(request.value() as AnyRequest, reply),
    ofRequest: (method, message) => {
      const request = message as AnyRequest;
      if (method === 'RunPodSandbox' || method === 'RestorePod')
        return { pod: request.config?.metadata && podOf(request.config.metadata) };
      if (method === 'PullImage')
        return { pod: request.sandboxConfig?.metadata && podOf(request.sandboxConfig.metadata) };
      if (method === 'CreateContainer') {
        const { podSandboxId = '', sandboxConfig, config } = request;
        const given = sandboxConfig?.metadata && podOf(sandboxConfig.metadata, podSandboxId);
        const made = config?.metadata;
        return {
          pod: pods.get(podSandboxId) ?? given,
          container: made && { name: made.name, attempt: made.attempt },
        };
      }
      const containerId = request.containerId || (/Container/.test(method) ? request.filter?.id : '');
      if (containerId) return ofContainer(containerId);
      const { filter } = request;
      const id = request.podSandboxId || request.sandboxId || filter?.podSandboxId || filter?.id;
      return id ? { pod: pods.get(id) ?? unique(pods, id) } : {};
    },
    ofMessage: (method, message) => {
      if (method !== 'GetContainerEvents') return {};
      const { containerId, podSandboxStatus, containersStatuses } = message.value<ContainerEventResponse>();
      if (podSandboxStatus !== undefined) addPod(podSandboxStatus.id, podSandboxStatus.metadata);
      for (const { id, metadata } of containersStatuses)
        addContainer(id, podSandboxStatus?.id ?? '', metadata);
      const pod = podSandboxStatus && pods.get(podSandboxStatus.id);
      return { pod, container: containers.get(containerId)?.name };
    },
  };
}

function podOf({ name, namespace = '', uid = '', attempt }: Metadata, id?: string): PodName {
  return { ...(id && { id }), name, namespace, ...(uid && { uid }), attempt };
}

/** The one object whose id begins so; a whole id begins no other. */
function unique<T>(objects: ReadonlyMap<string, T>, prefix: string): T | undefined {
  if (prefix === '' || prefix.length >= 64) return undefined;
  const found = [...objects].filter(([id]) => id.startsWith(prefix));
  return found.length === 1 ? found[0]?.[1] : undefined;
}

function forgetOldest(objects: Map<string, unknown>): void {
  if (objects.size <= MOST_OBJECTS) return;
  const [oldest] = objects.keys();
  if (oldest !== undefined) objects.delete(oldest);
}
