import {
  type ContainerConfig,
  type ContainerEventResponse,
  ContainerState,
  type ContainerStatus,
  type ContainerStatusResponse,
  type CreateContainerRequest,
  type CreateContainerResponse,
  NamespaceMode,
  type PodSandboxStatusResponse,
  type RunPodSandboxRequest,
  type StopContainerRequest,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Entry, EntryOf } from '../../../tape/entries.js';

/** A pod in a tape's calls. Times are in ms since the tape's start. */
export interface TapePod {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly hostNetwork: boolean;
  readonly at: number;
  readonly containers: readonly TapeContainer[];
}

export interface TapeContainer {
  readonly name: string;
  readonly config: ContainerConfig;
  readonly instances: readonly TapeInstance[];
}

export interface TapeInstance {
  readonly createdAt: number;
  readonly stoppedAt?: number | undefined;
  readonly end?: TapeEnd | undefined;
}

export interface TapeEnd {
  readonly exitCode: number;
  readonly isOutOfMemory: boolean;
  /** How long it ran, in ms. */
  readonly after: number;
  /** In ms since the tape's start. */
  readonly at: number;
}

type Changeable<T> = { -readonly [K in keyof T]: T[K] };
type GrowingContainer = Omit<TapeContainer, 'instances'> & { instances: Changeable<TapeInstance>[] };
type GrowingPod = Omit<TapePod, 'containers'> & { containers: GrowingContainer[] };

/** Collects the pods of a tape. `startedAt`: Unix nanoseconds at t = 0. */
export function createPodReader(startedAt: bigint) {
  const pods = new Map<string, GrowingPod>();
  const calls = new Map<number, EntryOf<'call'>>();
  const instances = new Map<string, Changeable<TapeInstance>>();

  const begin = (entry: EntryOf<'call'>) => {
    const at = entry.t / 1e6;
    if (entry.method === 'RunPodSandbox') addPod(entry, at);
    if (entry.method === 'StopContainer') {
      const instance = instances.get(entry.message.value<StopContainerRequest>().containerId);
      if (instance !== undefined) instance.stoppedAt ??= at;
    }
    if (entry.method === 'CreateContainer') calls.set(entry.call, entry);
  };
  const addPod = ({ message }: EntryOf<'call'>, at: number) => {
    const { config } = message.value<RunPodSandboxRequest>();
    const { name = '', namespace = '', uid = '' } = config?.metadata ?? {};
    if (pods.has(uid)) return;
    const labels = Object.fromEntries(
      Object.entries(config?.labels ?? {}).filter(([key]) => !key.startsWith('io.kubernetes.')),
    );
    const network = config?.linux?.securityContext?.namespaceOptions?.network;
    pods.set(uid, {
      name,
      namespace,
      labels,
      hostNetwork: network === NamespaceMode.NODE,
      at,
      containers: [],
    });
  };
  const created = (call: EntryOf<'call'>, { containerId }: CreateContainerResponse) => {
    const { config, sandboxConfig } = call.message.value<CreateContainerRequest>();
    const pod = pods.get(sandboxConfig?.metadata?.uid ?? '');
    if (pod === undefined || config === undefined) return;
    const name = config.metadata?.name ?? '';
    const instance = { createdAt: call.t / 1e6 };
    instances.set(containerId, instance);
    const found = pod.containers.find((each) => each.name === name);
    if (found === undefined) pod.containers.push({ name, config, instances: [instance] });
    else found.instances.push(instance);
  };
  const seen = (status: ContainerStatus) => {
    const instance = instances.get(status.id);
    if (status.state !== ContainerState.CONTAINER_EXITED || instance === undefined) return;
    const { exitCode, reason, startedAt: started, finishedAt: finished } = status;
    const after = Math.max(0, Number(BigInt(finished) - BigInt(started)) / 1e6);
    const at = Number(BigInt(finished) - startedAt) / 1e6;
    instance.end = { exitCode, isOutOfMemory: reason === 'OOMKilled', after, at };
  };

  return {
    read: (entry: Entry): void => {
      if (entry.kind === 'call') begin(entry);
      for (const status of statusesOf(entry)) seen(status);
      if (entry.kind !== 'reply' || entry.code !== 'OK' || entry.message === undefined) return;
      const call = calls.get(entry.call);
      calls.delete(entry.call);
      if (call !== undefined) created(call, entry.message.value<CreateContainerResponse>());
    },
    pods: (): readonly TapePod[] => [...pods.values()].filter(({ containers }) => containers.length > 0),
  };
}

function statusesOf(entry: Entry): readonly ContainerStatus[] {
  if (entry.kind === 'message' && entry.method === 'GetContainerEvents')
    return entry.message.value<ContainerEventResponse>().containersStatuses;
  if (entry.kind !== 'reply' || entry.message === undefined) return [];
  if (entry.method === 'PodSandboxStatus')
    return entry.message.value<PodSandboxStatusResponse>().containersStatuses;
  if (entry.method !== 'ContainerStatus') return [];
  const { status } = entry.message.value<ContainerStatusResponse>();
  return status === undefined ? [] : [status];
}
