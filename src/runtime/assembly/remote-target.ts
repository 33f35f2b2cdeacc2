import { CriError } from '../../cri/errors.js';
import { StatusResponse } from '../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../cri/layer.js';
import { ownCall } from '../../cri/own-call.js';
import { decoded } from '../../cri/reply.js';
import type { Call, CriService } from '../../cri/service.js';
import { Message } from '../../tape/message.js';
import { ObjectNames } from '../../tape/world/names.js';
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

/** Wraps a service that forwards to a runtime in another process, such as containerd. */
export function remoteOrigin(remote: { readonly service: CriService; close(): void }) {
  const { service } = remote;
  return { service, ...remoteTarget(service), forwards: true, close: async () => remote.close() };
}

export function remoteTarget(service: CriService): RemoteTarget {
  const names = new ObjectNames(Number.POSITIVE_INFINITY);
  const overrides = new Map<'RuntimeReady' | 'NetworkReady', ConditionOverride>();
  const isTrue = (type: 'RuntimeReady' | 'NetworkReady') => overrides.get(type)?.status ?? true;

  const target: FaultTarget = {
    pod: (id) => names.pod(id),
    container: (id) => names.container(id),
    conditions: () => ({ runtime: isTrue('RuntimeReady'), network: isTrue('NetworkReady') }),
    runningContainers: () => names.containers,
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
        return 'restart with state: lose would destroy the state of a real runtime; allowed: state: keep';
      return undefined;
    },
  };
  const learn =
    <R extends object, A extends object>(method: string, work: (request: R, call: Call) => A | Promise<A>) =>
    async (request: R, call: Call): Promise<A> => {
      const reply = await work(request, call);
      if (method.startsWith('Remove')) names.forget(request);
      else names.learn(method, request, Message.of(method, 'Response', reply));
      return reply;
    };
  const layer: Layer = (below) => ({
    ...below,
    runPodSandbox: learn('RunPodSandbox', below.runPodSandbox),
    createContainer: learn('CreateContainer', below.createContainer),
    removePodSandbox: learn('RemovePodSandbox', below.removePodSandbox),
    removeContainer: learn('RemoveContainer', below.removeContainer),
    status: async (request, call) => {
      const reply = await below.status(request, call);
      return overrides.size === 0 ? reply : withOverrides(decoded(reply, StatusResponse), overrides);
    },
  });

  const discover = async (): Promise<void> => {
    const all = { filter: undefined };
    const sandboxes = await service.listPodSandbox(all, ownCall());
    names.see('ListPodSandbox', Message.of('ListPodSandbox', 'Response', sandboxes));
    const containers = await service.listContainers(all, ownCall());
    names.see('ListContainers', Message.of('ListContainers', 'Response', containers));
  };
  return { target, layer, discover };
}

function unreachable(): never {
  throw new CriError('unsupported', 'a runtime elsewhere can only be reached through its CRI');
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
