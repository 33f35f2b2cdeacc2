import type { ContainerStatus, PodSandboxStatusResponse } from '../../cri/gen/runtime/v1/api.js';
import type { AnyRequest } from '../../cri/subject.js';
import type { Message } from '../message.js';
import { itemsOf, listField, unaryLists } from '../world/list-joiner.js';
import { type Shown, shownContainer, shownIn, stateNames } from '../world/shown.js';
import type { Exchange } from './exchanges.js';
import type { ObjectState } from './states.js';

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

const lists: Readonly<Record<string, Pick<ListShape, 'kind' | 'idOf'>>> = {
  ListPodSandbox: { kind: 'pod', idOf: ownId },
  ListContainers: { kind: 'container', idOf: ownId },
  ListContainerStats: { kind: 'container', idOf: attributesId },
  ListPodSandboxStats: { kind: 'pod', idOf: attributesId },
  ListPodSandboxMetrics: { kind: 'pod', idOf: metricsId },
};

/** RPCs that list objects, unary or streaming. */
export const listShapes: Readonly<Record<string, ListShape>> = Object.fromEntries(
  [...Object.keys(lists), ...Object.keys(unaryLists)].flatMap((method) => {
    const source = unaryLists[method] ?? method;
    const list = lists[source];
    return list === undefined ? [] : [[method, { ...list, source, field: listField(method) }] as const];
  }),
);

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
  const { method, request, reply, at, until, messages } = exchange;
  if (method === 'GetContainerEvents')
    return messages.flatMap(({ t, message }) => ofEvent(message).map((each) => ({ ...each, t })));
  const t = Number.isFinite(until) ? until : at;
  const replies = messages.length > 0 ? messages.map(({ message }) => message) : reply ? [reply] : [];
  const list = listShapes[method];
  if (list !== undefined) {
    // The items belong to the objects: for the whole only success matters.
    const value = replies.length > 0 ? ANSWERED : undefined;
    const whole = { kind: 'node', id: 'node', source: list.source, value, t } as const;
    if (isRepeated) return [whole];
    return [whole, ...replies.flatMap((each) => ofList(list, each)).map((each) => ({ ...each, t }))];
  }
  const kind = statusKinds[method];
  if (kind !== undefined) {
    const id = idIn(request.value<AnyRequest>());
    const parts = reply?.value<Partial<PodSandboxStatusResponse>>().containersStatuses ?? [];
    const all = [ofStatus(exchange, kind, id), ...parts.map((each) => ofShown(shownContainer(each, id)))];
    return all.map((each) => ({ ...each, t }));
  }
  const value = reply?.value();
  if (nodeReads.includes(method)) return [{ kind: 'node', id: 'node', source: method, value, t }];
  if (method === 'ListImages') return [{ kind: 'image', id: ALL_IMAGES, source: method, value, t }];
  return [];
}

export const idIn = ({ containerId, podSandboxId, image }: AnyRequest): string =>
  containerId || podSandboxId || image?.image || '';

function ofList({ kind, idOf, source }: ListShape, reply: Message): Sighting[] {
  const shown = shownIn(source, reply);
  return shown.length > 0
    ? shown.map((each) => ofShown(each, source, each.seen))
    : itemsOf<object>(reply.value()).map((value) => ({ kind, id: idOf(value), source, value }));
}

function ofStatus({ method, reply, outcome }: Exchange, kind: Sighting['kind'], id: string): Sighting {
  const value = reply?.value();
  const found = { kind, id, source: method, value } as const;
  if (reply === undefined) return isMissing(outcome) ? { ...found, state: 'absent' } : found;
  if (method === 'ImageStatus')
    return { ...found, state: reply.value<{ image?: object }>().image === undefined ? 'absent' : 'present' };
  const [shown] = shownIn(method, reply);
  return { ...found, ...(shown && factsOf(shown)) };
}

/** Some runtimes return UNKNOWN for a missing object. */
const isMissing = (outcome: Exchange['outcome']): boolean =>
  outcome?.code === 'NOT_FOUND' || (outcome?.code === 'UNKNOWN' && /not found/.test(outcome.details ?? ''));

/** A sandbox has a separate source, because replies may contain container statuses too. */
const ofEvent = (event: Message): Sighting[] =>
  shownIn('GetContainerEvents', event).map((each) =>
    each.kind === 'container'
      ? ofShown(each)
      : ofShown(each, 'GetContainerEvents', {
          status: each.seen,
          info: {},
          containersStatuses: [],
          timestamp: 0n,
        }),
  );

/** By default as a container's whole status. */
function ofShown(shown: Shown, source = 'ContainerStatus', value: object = { status: shown.seen, info: {} }) {
  const { kind, id, sandboxId } = shown;
  const found = { id, source, value, ...factsOf(shown) };
  if (kind === 'sandbox') return { ...found, kind: 'pod' as const };
  return { ...found, kind, sandbox: sandboxId || undefined };
}

function factsOf({ kind, state, seen }: Shown): Pick<Sighting, 'state' | 'began'> {
  const known = stateNames[kind][state];
  const { startedAt = 0n, finishedAt = 0n } = seen as Partial<ContainerStatus>;
  const began = known === 'running' ? startedAt : known === 'exited' ? finishedAt : 0n;
  return { state: known, began: began > 0n ? began : undefined };
}
