import { CriError } from '../../cri/errors.js';
import {
  CreateContainerResponse,
  ListContainersResponse,
  ListPodSandboxResponse,
  RunPodSandboxResponse,
  StatusResponse,
} from '../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../cri/layer.js';
import type { Call, CriService, Encoded } from '../../cri/service.js';
import type { ContainerFacts, PodFacts } from '../../cri/subject.js';
import type { ConditionOverride, FaultTarget } from '../faults/host.js';
import type { Action } from '../faults/language/actions.js';

/** Actions that change the processes or the clock of the runtime. Only its own process can do that. */
const OUT_OF_REACH = new Set<Action['name']>(['exit', 'oom', 'clockSkew', 'slowCreate']);

export interface RemoteTarget {
  readonly target: FaultTarget;
  /** Notes pods and containers from the calls that make and remove them; overrides conditions in Status. */
  readonly layer: Layer;
  /** Lists the existing pods and containers. Rejects while the runtime does not answer. */
  discover(): Promise<void>;
}

export function remoteTarget(service: CriService): RemoteTarget {
  const pods = new Map<string, PodFacts>();
  const containers = new Map<string, ContainerFacts>();
  const overrides = new Map<'RuntimeReady' | 'NetworkReady', ConditionOverride>();
  const isTrue = (type: 'RuntimeReady' | 'NetworkReady') => overrides.get(type)?.status ?? true;

  const target: FaultTarget = {
    pod: (id) => pods.get(id) ?? unique(pods, id),
    container: (id) => containers.get(id) ?? unique(containers, id),
    conditions: () => ({ runtime: isTrue('RuntimeReady'), network: isTrue('NetworkReady') }),
    runningContainers: () => containers.values(),
    exitContainer: unreachable,
    skewClock: unreachable,
    overrideCondition: (type, override) => {
      if (override === undefined) overrides.delete(type);
      else overrides.set(type, override);
    },
    loseState: unreachable,
    lacks: (action, trigger) => {
      if (trigger === 'session')
        return 'the streams of a runtime elsewhere (backends remote and tape) do not pass here; serve with backend memory or docker';
      if (action === undefined) return undefined;
      if (OUT_OF_REACH.has(action.name))
        return `${action.name} can't be done to a runtime elsewhere (backends remote and tape); serve with backend memory`;
      if (action.name === 'restart' && action.options.state === 'lose')
        return 'restart with state: lose would destroy what a runtime elsewhere keeps; allowed: state: keep';
      return undefined;
    },
  };
  const layer: Layer = (below) => ({
    ...below,
    runPodSandbox: async (request, call) => {
      const reply = await below.runPodSandbox(request, call);
      const { podSandboxId: id } = decoded(reply, RunPodSandboxResponse);
      if (request.config?.metadata)
        pods.set(id, { id, ...request.config.metadata, labels: request.config.labels });
      return reply;
    },
    createContainer: async (request, call) => {
      const reply = await below.createContainer(request, call);
      const { containerId: id } = decoded(reply, CreateContainerResponse);
      const { podSandboxId: sandboxId, config } = request;
      if (config?.metadata) containers.set(id, { id, sandboxId, ...config.metadata, labels: config.labels });
      return reply;
    },
    removePodSandbox: async (request, call) => {
      const reply = await below.removePodSandbox(request, call);
      const id = target.pod(request.podSandboxId)?.id ?? '';
      pods.delete(id);
      for (const container of containers.values())
        if (container.sandboxId === id) containers.delete(container.id);
      return reply;
    },
    removeContainer: async (request, call) => {
      const reply = await below.removeContainer(request, call);
      containers.delete(target.container(request.containerId)?.id ?? '');
      return reply;
    },
    status: async (request, call) => {
      const reply = await below.status(request, call);
      return overrides.size === 0 ? reply : withOverrides(decoded(reply, StatusResponse), overrides);
    },
  });

  const discover = async (): Promise<void> => {
    const call: Call = { signal: new AbortController().signal, deadline: undefined };
    const sandboxes = await service.listPodSandbox({ filter: undefined }, call);
    for (const { id, metadata, labels } of decoded(sandboxes, ListPodSandboxResponse).items)
      if (metadata) pods.set(id, { id, ...metadata, labels });
    const listed = await service.listContainers({ filter: undefined }, call);
    for (const { id, podSandboxId: sandboxId, metadata, labels } of decoded(listed, ListContainersResponse)
      .containers)
      if (metadata) containers.set(id, { id, sandboxId, ...metadata, labels });
  };
  return { target, layer, discover };
}

function unreachable(): never {
  throw new CriError('unsupported', 'a runtime elsewhere can only be reached through its CRI');
}

function unique<T>(objects: ReadonlyMap<string, T>, prefix: string): T | undefined {
  if (prefix === '') return undefined;
  const found = [...objects].filter(([id]) => id.startsWith(prefix));
  return found.length === 1 ? found[0]?.[1] : undefined;
}

function withOverrides(
  reply: StatusResponse,
  overrides: ReadonlyMap<string, ConditionOverride>,
): StatusResponse {
  const conditions = (reply.status?.conditions ?? []).map((condition) => ({
    ...condition,
    ...overrides.get(condition.type),
  }));
  return { ...reply, status: { ...reply.status, conditions } };
}

const decoded = <T>(reply: T | Encoded, type: { decode(bytes: Encoded): T }): T =>
  Buffer.isBuffer(reply) ? type.decode(reply) : reply;
