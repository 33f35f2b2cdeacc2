import { forgetOldest } from '../base/input/forget-oldest.js';
import type {
  ContainerEventResponse,
  ContainerStatusResponse,
  ListContainersResponse,
  ListPodSandboxResponse,
  PodSandboxStatusResponse,
} from '../cri/gen/runtime/v1/api.js';
import {
  type ContainerFacts,
  type ObjectLookup,
  type PodFacts,
  type CallSubject as SubjectFacts,
  subjectOfRequest,
} from '../cri/subject.js';
import type { Subject } from './entries.js';
import type { Message } from './message.js';

/** Maximum number of remembered objects, including removed ones, so that late calls still have names. */
const MOST_OBJECTS = 20_000;

interface Described {
  readonly id: string;
  readonly metadata?: Metadata | undefined;
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly attempt: number;
}

interface AnyRequest {
  readonly podSandboxId?: string;
  readonly containerId?: string;
  readonly config?: { readonly metadata?: Metadata | undefined } | undefined;
  readonly sandboxConfig?: { readonly metadata?: Metadata | undefined } | undefined;
}

export interface Subjects {
  ofRequest(method: string, request: object): Subject;
  ofMessage(method: string, message: Message): Subject;
  learn(method: string, request: Message, reply: Message): void;
}

export function createSubjects(): Subjects {
  const pods = new Map<string, PodFacts>();
  const containers = new Map<string, ContainerFacts>();
  const lastLists = new Map<string, Buffer>();
  const lookup: ObjectLookup = {
    pod: (id) => pods.get(id) ?? unique(pods, id),
    container: (id) => containers.get(id) ?? unique(containers, id),
  };

  const addPod = ({ id, metadata }: Described) => {
    if (metadata === undefined || pods.has(id)) return;
    const { name, namespace = '', uid = '', attempt } = metadata;
    pods.set(id, { id, name, namespace, uid, attempt, labels: {} });
    forgetOldest(pods, MOST_OBJECTS);
  };
  const addContainer = ({ id, metadata }: Described, sandboxId: string) => {
    if (metadata === undefined || containers.has(id)) return;
    const { name, attempt } = metadata;
    containers.set(id, { id, sandboxId, name, attempt, labels: {} });
    forgetOldest(containers, MOST_OBJECTS);
  };
  /** Lists repeat: decodes only new ones. */
  const isNew = (method: string, reply: Message): boolean => {
    const bytes = reply.bytes();
    if (lastLists.get(method)?.equals(bytes)) return false;
    lastLists.set(method, bytes);
    return true;
  };

  const readers: Readonly<Record<string, (request: AnyRequest, reply: Message) => void>> = {
    RunPodSandbox: ({ config }, reply) =>
      addPod({ id: reply.value<{ podSandboxId: string }>().podSandboxId, metadata: config?.metadata }),
    CreateContainer: ({ podSandboxId = '', config, sandboxConfig }, reply) => {
      addPod({ id: podSandboxId, metadata: sandboxConfig?.metadata });
      const id = reply.value<{ containerId: string }>().containerId;
      addContainer({ id, metadata: config?.metadata }, podSandboxId);
    },
    ListPodSandbox: (_, reply) => {
      if (!isNew('ListPodSandbox', reply)) return;
      for (const sandbox of reply.value<ListPodSandboxResponse>().items) addPod(sandbox);
    },
    ListContainers: (_, reply) => {
      if (!isNew('ListContainers', reply)) return;
      for (const container of reply.value<ListContainersResponse>().containers)
        addContainer(container, container.podSandboxId);
    },
    PodSandboxStatus: ({ podSandboxId = '' }, reply) => {
      if (pods.has(podSandboxId)) return;
      const { status } = reply.value<PodSandboxStatusResponse>();
      if (status !== undefined) addPod(status);
    },
    ContainerStatus: ({ containerId = '' }, reply) => {
      if (containers.has(containerId)) return;
      const { status } = reply.value<ContainerStatusResponse>();
      if (status !== undefined) addContainer(status, '');
    },
  };

  return {
    learn: (method, request, reply) => readers[method]?.(request.value<AnyRequest>(), reply),
    ofRequest: (method, request) => subjectOf(subjectOfRequest(method, request, lookup)),
    ofMessage: (method, message) => {
      if (method !== 'GetContainerEvents') return {};
      const { containerId, podSandboxStatus, containersStatuses } = message.value<ContainerEventResponse>();
      if (podSandboxStatus !== undefined) addPod(podSandboxStatus);
      for (const status of containersStatuses) addContainer(status, podSandboxStatus?.id ?? '');
      return subjectOf({
        pod: podSandboxStatus && pods.get(podSandboxStatus.id),
        container: containers.get(containerId),
      });
    },
  };
}

/** The part of a subject that an entry stores. */
export function subjectOf({ pod, container }: SubjectFacts): Subject {
  return {
    ...(pod && {
      pod: {
        ...(pod.id && { id: pod.id }),
        name: pod.name,
        namespace: pod.namespace,
        ...(pod.uid && { uid: pod.uid }),
        attempt: pod.attempt,
      },
    }),
    ...(container && {
      container: {
        ...(container.id && { id: container.id }),
        name: container.name,
        attempt: container.attempt,
      },
    }),
  };
}

/** The only object with this id prefix; a complete id is never a prefix of another. */
function unique<T>(objects: ReadonlyMap<string, T>, prefix: string): T | undefined {
  if (prefix === '' || prefix.length >= 64) return undefined;
  const found = [...objects].filter(([id]) => id.startsWith(prefix));
  return found.length === 1 ? found[0]?.[1] : undefined;
}
