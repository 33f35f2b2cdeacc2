import { notFound, StatusError } from '../../src/cri/errors.js';
import { Code } from '../../src/cri/status-code.js';
import type { AnyRequest } from '../../src/cri/subject.js';
import type { Exchange } from '../../src/tape/history/exchanges.js';
import {
  ALL_IMAGES,
  idIn,
  type ListShape,
  listShapes,
  statusKinds,
} from '../../src/tape/history/sightings.js';
import type { Sight } from '../../src/tape/history/tracks.js';
import type { Player } from './player.js';
import type { ReplayedObjects } from './replayed-objects.js';

/** A reply to a reading call, and how long the recorded call took, in ns. */
export interface Reading {
  readonly reply: object;
  readonly took: number;
}

/** Answers a reading call, or throws its recorded error, as of the objects' times; undefined if not on the tape. */
export function read(objects: ReplayedObjects, method: string, request: object): Reading | undefined {
  const list = listShapes[method];
  if (list !== undefined) return readList(objects, list, request);
  const kind = statusKinds[method];
  if (kind === 'image') return imageStatus(objects, request);
  if (kind !== undefined) return readStatus(objects, kind, method, request);
  const player = method === 'ListImages' ? objects.of('image', ALL_IMAGES) : objects.of('node', 'node');
  const sight = player?.sight(method);
  return sight && { reply: objects.asOfNow(sightedBy(sight), player), took: tookBy(sight.exchange) };
}

function readList(
  objects: ReplayedObjects,
  { field, kind, source }: ListShape,
  request: object,
): Reading | undefined {
  const whole = objects.of('node', 'node')?.sight(source);
  if (whole === undefined) return undefined;
  sightedBy(whole);
  const { filter } = request as { filter?: Filter };
  const items = objects.present(kind).flatMap((player) => {
    const item = objects.seen(player, source);
    return item === undefined ? [] : [item];
  });
  return { reply: { [field]: items.filter((item) => matches(filter, item)) }, took: tookBy(whole.exchange) };
}

function readStatus(objects: ReplayedObjects, kind: 'pod' | 'container', method: string, request: object) {
  const id = idIn(request as AnyRequest);
  const player = objects.of(kind, id);
  // A kubelet also requests the status of sandboxes as if they were containers.
  if (player === undefined && kind === 'container' && objects.of('pod', id) !== undefined)
    throw notFound(`there is no container ${id}`);
  if (player === undefined) return undefined;
  if (player.state === 'absent') throw missing(player, method);
  const source = player.sight(method) === undefined && kind === 'pod' ? 'GetContainerEvents' : method;
  const sight = player.sight(source);
  if (sight === undefined) return undefined;
  sightedBy(sight);
  const reply = withContainers(objects, objects.seen(player, source) ?? {});
  return { reply, took: sight.exchange.method === method ? tookBy(sight.exchange) : 0 };
}

/** The recorded error after the object's removal, or the usual one. */
function missing({ track }: Player, method: string): Error {
  const said = track.sights.get(method)?.findLast(({ state }) => state === 'absent')?.exchange.outcome;
  if (said === undefined)
    return notFound(`${track.kind === 'pod' ? 'sandbox' : 'container'} ${track.id} is not there`);
  return new StatusError(Code[said.code], said.details ?? '');
}

function imageStatus(objects: ReplayedObjects, request: object): Reading | undefined {
  const player = objects.of('image', idIn(request as AnyRequest));
  const sight = player?.sight('ImageStatus');
  return sight && { reply: objects.asOfNow(sightedBy(sight), player), took: tookBy(sight.exchange) };
}

/** Replaces the container statuses in a message about a pod by their present ones. */
export function withContainers<T extends object>(objects: ReplayedObjects, message: T, except?: string): T {
  const { containersStatuses } = message as { containersStatuses?: readonly { readonly id: string }[] };
  if (containersStatuses === undefined) return message;
  const current = containersStatuses.map((status) => {
    const player = status.id === except ? undefined : objects.of('container', status.id);
    const seen = player && (objects.seen(player, 'ContainerStatus') as { status?: object } | undefined);
    return seen?.status ?? status;
  });
  return { ...message, containersStatuses: current };
}

/** Throws the error of the call. */
function sightedBy({ value, exchange }: Sight): object {
  if (value !== undefined) return value;
  const { code, details } = exchange.outcome ?? {
    code: 'UNAVAILABLE',
    details: 'the call was never answered',
  };
  throw new StatusError(Code[code], details ?? '');
}

const tookBy = ({ at, until }: Exchange): number => (Number.isFinite(until) ? until - at : 0);

interface Filter {
  readonly id?: string;
  readonly podSandboxId?: string;
  readonly state?: { readonly state: number } | undefined;
  readonly labelSelector?: Readonly<Record<string, string>>;
}

interface Item extends Filter {
  readonly labels?: Readonly<Record<string, string>>;
  readonly attributes?:
    | { readonly id: string; readonly labels: Readonly<Record<string, string>> }
    | undefined;
}

/** Fields of a filter combine with AND; ids may be prefixes (api.proto, ContainerFilter). */
function matches(filter: Filter | undefined, given: object): boolean {
  const { id = '', podSandboxId = '', state, labelSelector = {} } = filter ?? {};
  const item = given as Omit<Item, 'state'> & { readonly state?: number };
  const labels = item.labels ?? item.attributes?.labels ?? {};
  return (
    (item.id ?? item.attributes?.id ?? '').startsWith(id) &&
    (item.podSandboxId ?? '').startsWith(podSandboxId) &&
    (state === undefined || state.state === item.state) &&
    Object.entries(labelSelector).every(([name, value]) => labels[name] === value)
  );
}
