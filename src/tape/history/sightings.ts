import type {
  Container,
  ContainerEventResponse,
  ContainerStatus,
  PodSandbox,
  PodSandboxStatus,
  PodSandboxStatusResponse,
} from '../../cri/gen/runtime/v1/api.js';
import type { Exchange } from './exchanges.js';
import type { AnyRequest } from './fields.js';
import { containerStateOf, type ObjectState, sandboxStateOf } from './states.js';

export interface Sighting {
  readonly kind: 'pod' | 'container' | 'image' | 'node';
  readonly id: string;
  /** The RPC that returns `value`. */
  readonly source: string;
  /** An item of a list, or a whole reply; undefined for a failed call. */
  readonly value: object | undefined;
  readonly state?: ObjectState | undefined;
  /** Unix nanoseconds since which the object has this state. */
  readonly began?: bigint | undefined;
  readonly sandbox?: string | undefined;
}

type Timed = Sighting & { readonly t: number };

export interface ListShape {
  readonly field: string;
  readonly kind: 'pod' | 'container';
  readonly idOf: (item: object) => string;
  /** For streaming lists, the unary RPC with the same items. */
  readonly source: string;
}

const ownId = (item: object): string => (item as { id: string }).id;
const attributesId = (item: object): string => (item as { attributes?: { id: string } }).attributes?.id ?? '';
const metricsId = (item: object): string => (item as { podSandboxId: string }).podSandboxId;

const shape = (
  source: string,
  kind: 'pod' | 'container',
  field: string,
  idOf: ListShape['idOf'],
): ListShape => ({ source, kind, field, idOf });

/** RPCs that list objects, unary or streaming. */
export const listShapes: Readonly<Record<string, ListShape>> = {
  ListPodSandbox: shape('ListPodSandbox', 'pod', 'items', ownId),
  StreamPodSandboxes: shape('ListPodSandbox', 'pod', 'podSandboxes', ownId),
  ListContainers: shape('ListContainers', 'container', 'containers', ownId),
  StreamContainers: shape('ListContainers', 'container', 'containers', ownId),
  ListContainerStats: shape('ListContainerStats', 'container', 'stats', attributesId),
  StreamContainerStats: shape('ListContainerStats', 'container', 'containerStats', attributesId),
  ListPodSandboxStats: shape('ListPodSandboxStats', 'pod', 'stats', attributesId),
  StreamPodSandboxStats: shape('ListPodSandboxStats', 'pod', 'podSandboxStats', attributesId),
  ListPodSandboxMetrics: shape('ListPodSandboxMetrics', 'pod', 'podMetrics', metricsId),
  StreamPodSandboxMetrics: shape('ListPodSandboxMetrics', 'pod', 'podSandboxMetrics', metricsId),
};

export const statusKinds: Readonly<Record<string, 'pod' | 'container' | 'image'>> = {
  PodSandboxStatus: 'pod',
  PodSandboxStats: 'pod',
  ContainerStatus: 'container',
  ContainerStats: 'container',
  ImageStatus: 'image',
};

/** RPCs that read the node; ListImages concerns all images. */
const nodeReads: readonly string[] = [
  'Version',
  'Status',
  'RuntimeConfig',
  'ImageFsInfo',
  'ListMetricDescriptors',
];

/** Whether a call only reads. */
export const isReading = (method: string): boolean =>
  method in listShapes || method in statusKinds || nodeReads.includes(method) || method === 'ListImages';

const ANSWERED = {};

export const ALL_IMAGES = '*';

/** Objects in a reply, and when; `isRepeated`: the reply equals the previous one. */
export function sightingsOf(exchange: Exchange, isRepeated = false): Timed[] {
  const { method, request, reply, outcome, at, until, messages } = exchange;
  if (method === 'GetContainerEvents')
    return messages.flatMap(({ t, message }) => ofEvent(message.value()).map((each) => ({ ...each, t })));
  const t = Number.isFinite(until) ? until : at;
  const replies = messages.length > 0 ? messages.map(({ message }) => message) : reply ? [reply] : [];
  const list = listShapes[method];
  if (list !== undefined) {
    // The items belong to the objects: for the whole only success matters.
    const value = replies.length > 0 ? ANSWERED : undefined;
    const whole = { kind: 'node', id: 'node', source: list.source, value, t } as const;
    if (isRepeated) return [whole];
    return [whole, ...replies.flatMap((each) => ofList(list, each.value())).map((each) => ({ ...each, t }))];
  }
  const kind = statusKinds[method];
  if (kind !== undefined) {
    const id = idIn(request.value<AnyRequest>());
    const whole = { ...ofStatus(method, kind, id, reply?.value(), outcome), t };
    const parts = (reply?.value<Partial<PodSandboxStatusResponse>>().containersStatuses ?? []).map(
      ofContainer,
    );
    return [whole, ...parts.map((each) => ({ ...each, sandbox: id, t }))];
  }
  const value = reply?.value();
  if (nodeReads.includes(method)) return [{ kind: 'node', id: 'node', source: method, value, t }];
  if (method === 'ListImages') return [{ kind: 'image', id: ALL_IMAGES, source: method, value, t }];
  return [];
}

export const idIn = ({ containerId, podSandboxId, image }: AnyRequest): string =>
  containerId || podSandboxId || image?.image || '';

function ofList({ kind, field, idOf, source }: ListShape, reply: object): Sighting[] {
  const items = (reply as Readonly<Record<string, readonly object[]>>)[field] ?? [];
  return items.map((value) => {
    const found = { kind, id: idOf(value), source, value } as const;
    if (source === 'ListContainers') {
      const { state, podSandboxId } = value as Container;
      return { ...found, state: containerStateOf(state), sandbox: podSandboxId };
    }
    return source === 'ListPodSandbox'
      ? { ...found, state: sandboxStateOf((value as PodSandbox).state) }
      : found;
  });
}

function ofStatus(
  source: string,
  kind: Sighting['kind'],
  id: string,
  value: object | undefined,
  outcome: Exchange['outcome'],
): Sighting {
  const found = { kind, id, source, value } as const;
  if (value === undefined) return isMissing(outcome) ? { ...found, state: 'absent' } : found;
  if (source === 'ContainerStatus') {
    const { status } = value as { status?: ContainerStatus };
    return { ...found, ...(status && containerFacts(status)) };
  }
  if (source === 'PodSandboxStatus') {
    const { status } = value as { status?: PodSandboxStatus };
    return { ...found, state: status && sandboxStateOf(status.state) };
  }
  if (source === 'ImageStatus')
    return { ...found, state: (value as { image?: object }).image === undefined ? 'absent' : 'present' };
  return found;
}

/** Some runtimes return UNKNOWN for a missing object. */
const isMissing = (outcome: Exchange['outcome']): boolean =>
  outcome?.code === 'NOT_FOUND' || (outcome?.code === 'UNKNOWN' && /not found/.test(outcome.details ?? ''));

function ofEvent({ podSandboxStatus: status, containersStatuses }: ContainerEventResponse): Sighting[] {
  // A separate source, because replies may contain container statuses too.
  const sandbox = status && {
    ...ofStatus('PodSandboxStatus', 'pod', status.id, wholeStatus(status), undefined),
    source: 'GetContainerEvents',
  };
  const containers = containersStatuses.map((each) => ({ ...ofContainer(each), sandbox: status?.id }));
  return sandbox === undefined ? containers : [sandbox, ...containers];
}

const ofContainer = (status: ContainerStatus): Sighting =>
  ofStatus('ContainerStatus', 'container', status.id, { status, info: {} }, undefined);

const wholeStatus = (status: PodSandboxStatus): PodSandboxStatusResponse => ({
  status,
  info: {},
  containersStatuses: [],
  timestamp: 0n,
});

function containerFacts({ state, startedAt, finishedAt }: ContainerStatus) {
  const known = containerStateOf(state);
  const began = known === 'running' ? startedAt : known === 'exited' ? finishedAt : 0n;
  return { state: known, began: began > 0n ? began : undefined };
}
