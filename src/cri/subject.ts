import type { ContainerEventResponse } from './gen/runtime/v1/api.js';
import { messageTypeOf } from './messages.js';
import { shortened } from './shortened.js';

/** The pod and container of a call or an event, if it names them. */
export interface CallSubject {
  readonly pod?: PodFacts | undefined;
  readonly container?: ContainerFacts | undefined;
}

export interface PodFacts {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly attempt: number;
  readonly labels: Readonly<Record<string, string>>;
}

export interface ContainerFacts {
  readonly id: string;
  readonly sandboxId: string;
  readonly name: string;
  readonly attempt: number;
  readonly labels: Readonly<Record<string, string>>;
}

/** The names of a subject's objects at the time of the call, for logs and the call history. */
export interface SubjectNames {
  readonly pod?: Pick<PodFacts, 'id' | 'name' | 'namespace'> | undefined;
  readonly container?: Pick<ContainerFacts, 'id' | 'name' | 'attempt'> | undefined;
}

/** Undefined for a call without pod and container. */
export function namesOfSubject({ pod, container }: CallSubject): SubjectNames | undefined {
  if (pod === undefined && container === undefined) return undefined;
  return {
    pod: pod && { id: keptName(pod.id), name: keptName(pod.name), namespace: keptName(pod.namespace) },
    container: container && {
      id: keptName(container.id),
      name: keptName(container.name),
      attempt: container.attempt,
    },
  };
}

/** Longest name in logs and the call history. */
const LONGEST_NAME = 1024;

/** Truncates a name for logs and the call history: a client may send one of 16 MiB. */
export const keptName = (name: string): string => shortened(name, LONGEST_NAME);

/** Finds objects by id or unique prefix, so that rules can use names. */
export interface ObjectLookup {
  pod(id: string): PodFacts | undefined;
  container(id: string): ContainerFacts | undefined;
}

export interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly attempt: number;
}

export interface Config {
  readonly metadata?: Metadata | undefined;
  readonly labels?: Readonly<Record<string, string>>;
}

/** The fields of a request of any RPC that say what it is about. */
export interface AnyRequest {
  readonly containerId?: string;
  readonly podSandboxId?: string;
  readonly sandboxId?: string;
  readonly image?: { readonly image: string } | undefined;
  readonly cmd?: readonly string[];
  readonly config?: Config | undefined;
  readonly sandboxConfig?: Config | undefined;
  readonly containerConfigs?: readonly Config[];
  readonly filter?:
    | {
        readonly id?: string;
        readonly podSandboxId?: string;
        readonly state?: { readonly state: number } | undefined;
      }
    | undefined;
}

/** Requests that name a pod or container by their config instead of by id. */
const WITH_CONFIG = ['RunPodSandbox', 'RestorePod', 'CreateContainer', 'PullImage'];

/** Whether a method's calls, or messages of its stream, can lead to a pod. */
export function identifiesPod(method: string, trigger: string): boolean {
  if (method === 'GetContainerEvents') return trigger === 'message';
  return WITH_CONFIG.includes(method) || FIELDS.some((field) => field in emptyRequest(method));
}

/** Like `identifiesPod`, for a container. */
export function identifiesContainer(method: string, trigger: string): boolean {
  if (method === 'GetContainerEvents') return trigger === 'message';
  const request = emptyRequest(method);
  return (
    method === 'CreateContainer' ||
    'containerId' in request ||
    ('filter' in request && /Container/.test(method))
  );
}

const FIELDS = ['containerId', 'podSandboxId', 'sandboxId', 'filter'];

const emptyRequest = (method: string): object => messageTypeOf(method, 'Request').fromPartial({});

/** The subject of a request: by id, by its config, or by its filter. */
export function subjectOfRequest(method: string, message: object, directory: ObjectLookup): CallSubject {
  const request = message as AnyRequest;
  if (method === 'RunPodSandbox' || method === 'RestorePod') return { pod: podOf(request.config, '') };
  if (method === 'CreateContainer') {
    const sandboxId = request.podSandboxId ?? '';
    const pod = directory.pod(sandboxId) ?? podOf(request.sandboxConfig, sandboxId);
    return { pod, container: containerOf(request.config, sandboxId) };
  }
  if (method === 'PullImage') return { pod: podOf(request.sandboxConfig, '') };
  const containerId = request.containerId || (/Container/.test(method) ? request.filter?.id : '');
  if (containerId) {
    const container = directory.container(containerId);
    return { container, pod: container && directory.pod(container.sandboxId) };
  }
  const podId =
    request.podSandboxId || request.sandboxId || request.filter?.podSandboxId || request.filter?.id;
  return podId ? { pod: directory.pod(podId) } : {};
}

/** The subject of an event; looks up containers that the event no longer has. */
export function subjectOfEvent(event: ContainerEventResponse, directory: ObjectLookup): CallSubject {
  const { containerId, podSandboxStatus: sandbox, containersStatuses } = event;
  const pod = sandbox && podOf(sandbox, sandbox.id);
  if (sandbox?.id === containerId) return { pod };
  const status = containersStatuses.find(({ id }) => id === containerId);
  const shown = status && containerOf(status, sandbox?.id ?? '');
  return { pod, container: shown ? { ...shown, id: containerId } : directory.container(containerId) };
}

export function podOf(config: Config | undefined, id: string): PodFacts | undefined {
  const metadata = config?.metadata;
  if (metadata === undefined) return undefined;
  const { name, namespace = '', uid = '', attempt } = metadata;
  return { id, name, namespace, uid, attempt, labels: config?.labels ?? {} };
}

export function containerOf(config: Config | undefined, sandboxId: string): ContainerFacts | undefined {
  const metadata = config?.metadata;
  if (metadata === undefined) return undefined;
  return { id: '', sandboxId, name: metadata.name, attempt: metadata.attempt, labels: config?.labels ?? {} };
}
