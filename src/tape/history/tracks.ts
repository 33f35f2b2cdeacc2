import { isDeepStrictEqual } from 'node:util';
import type { ContainerEventResponse } from '../../cri/gen/runtime/v1/api.js';
import type { AnyRequest } from '../../cri/subject.js';
import type { Message } from '../message.js';
import type { Exchange, History } from './exchanges.js';
import { ALL_IMAGES, listShapes, type Sighting, sightingsOf } from './sightings.js';
import { type Mark, type ObjectState, type Span, spansOf } from './states.js';

/** Objects with their own state: a sandbox, a container, an image, or the node with everything else. */
export type TrackKind = 'pod' | 'container' | 'image' | 'node';

export interface Sight extends Omit<Sighting, 'id' | 'kind' | 'source'> {
  /** Time of the reply, in ns since the tape's start. */
  readonly t: number;
  readonly exchange: Exchange;
}

export interface Track {
  readonly kind: TrackKind;
  readonly id: string;
  /** The call that created it; undefined if it existed before the tape. */
  readonly created: Exchange | undefined;
  readonly sandbox: string | undefined;
  readonly spans: readonly Span[];
  readonly changes: readonly Exchange[];
  readonly sights: ReadonlyMap<string, readonly Sight[]>;
  /** Its events in order, without duplicates. */
  readonly events: readonly { readonly t: number; readonly event: ContainerEventResponse }[];
}

interface Growing {
  readonly kind: TrackKind;
  readonly id: string;
  created: Exchange | undefined;
  sandbox: string | undefined;
  readonly marks: Mark[];
  readonly changes: Exchange[];
  readonly sights: Map<string, Sight[]>;
  readonly events: { t: number; event: ContainerEventResponse }[];
}

export class Tracks {
  readonly #tracks: ReadonlyMap<string, Track>;

  constructor(history: History) {
    const growing = growTracks(history);
    this.#tracks = new Map([...growing].map(([key, track]) => [key, finish(track)]));
  }

  get(kind: TrackKind, id: string): Track | undefined {
    return this.#tracks.get(`${kind} ${id}`);
  }

  all(): Iterable<Track> {
    return this.#tracks.values();
  }
}

function finish({ marks, ...track }: Growing): Track {
  const kind = track.kind === 'pod' || track.kind === 'container' ? track.kind : 'other';
  const changes = track.changes.toSorted((a, b) => a.at - b.at);
  const events = track.events.toSorted((a, b) => a.t - b.t);
  return { ...track, changes, events, spans: spansOf(marks, kind, track.created !== undefined) };
}

function addMark(marks: Mark[], mark: Mark): void {
  const last = marks.at(-1);
  const isKnown =
    last !== undefined && last.state === mark.state && last.began === mark.began && last.from <= mark.from;
  if (!isKnown) marks.push(mark);
}

type Changer = (exchange: Exchange, request: AnyRequest) => void;

function changersOf(
  tracks: ReadonlyMap<string, Growing>,
  trackOf: (kind: TrackKind, id: string) => Growing,
): Readonly<Record<string, Changer>> {
  const containersOf = (sandbox: string) =>
    [...tracks.values()].filter((track) => track.kind === 'container' && track.sandbox === sandbox);
  /** A successful call changes its object; ending a sandbox also ends its containers. */
  const change = (exchange: Exchange, track: Growing, state: ObjectState) => {
    track.changes.push(exchange);
    track.marks.push({ from: exchange.until, state, cause: exchange.at });
  };
  return {
    RunPodSandbox: (exchange) => {
      const track = trackOf('pod', exchange.reply?.value<{ podSandboxId: string }>().podSandboxId ?? '');
      track.created = exchange;
      change(exchange, track, 'ready');
    },
    CreateContainer: (exchange, { podSandboxId }) => {
      const track = trackOf('container', exchange.reply?.value<{ containerId: string }>().containerId ?? '');
      track.created = exchange;
      track.sandbox = podSandboxId;
      change(exchange, track, 'created');
    },
    StartContainer: (exchange, { containerId = '' }) =>
      change(exchange, trackOf('container', containerId), 'running'),
    StopContainer: (exchange, { containerId = '' }) =>
      change(exchange, trackOf('container', containerId), 'exited'),
    RemoveContainer: (exchange, { containerId = '' }) =>
      change(exchange, trackOf('container', containerId), 'absent'),
    StopPodSandbox: (exchange, { podSandboxId = '' }) => {
      change(exchange, trackOf('pod', podSandboxId), 'notready');
      for (const track of containersOf(podSandboxId)) change(exchange, track, 'exited');
    },
    RemovePodSandbox: (exchange, { podSandboxId = '' }) => {
      change(exchange, trackOf('pod', podSandboxId), 'absent');
      for (const track of containersOf(podSandboxId)) change(exchange, track, 'absent');
    },
    PullImage: (exchange, { image }) => {
      change(exchange, trackOf('image', image?.image ?? ''), 'present');
      change(exchange, trackOf('image', ALL_IMAGES), 'present');
    },
    RemoveImage: (exchange, { image }) => {
      change(exchange, trackOf('image', image?.image ?? ''), 'absent');
      change(exchange, trackOf('image', ALL_IMAGES), 'absent');
    },
  };
}

function growTracks({ header, exchanges }: History): Map<string, Growing> {
  const tracks = new Map<string, Growing>();
  const startedAt = BigInt(header.startedAt);
  const trackOf = (kind: TrackKind, id: string): Growing => {
    const key = `${kind} ${id}`;
    const known = tracks.get(key);
    if (known !== undefined) return known;
    const made: Growing = {
      kind,
      id,
      created: undefined,
      sandbox: undefined,
      marks: [],
      changes: [],
      sights: new Map(),
      events: [],
    };
    tracks.set(key, made);
    return made;
  };
  const add = (sighting: Sighting, t: number, exchange: Exchange) => {
    const { kind, id, source, state, began, sandbox } = sighting;
    const track = trackOf(kind, id);
    track.sandbox ??= sandbox;
    if (state !== undefined)
      addMark(track.marks, { from: t, state, ...(began && { began: Number(began - startedAt) }) });
    const list = track.sights.get(source);
    const last = list?.at(-1);
    if (list === undefined) track.sights.set(source, [{ ...sighting, t, exchange }]);
    // The last of several equal replies determines the duration.
    else if (last !== undefined && isDeepStrictEqual(last.value, sighting.value) && last.state === state)
      list[list.length - 1] = { ...last, exchange };
    else list.push({ ...sighting, t, exchange });
  };
  const seen = new Set<string>();
  const addEvents = ({ messages }: Exchange) => {
    for (const { t, message } of messages) {
      const event = message.value<ContainerEventResponse>();
      const { containerId: id, containerEventType, createdAt, podSandboxStatus } = event;
      const key = `${id} ${containerEventType} ${createdAt}`;
      if (seen.has(key)) continue;
      seen.add(key);
      trackOf(podSandboxStatus?.id === id ? 'pod' : 'container', id).events.push({ t, event });
    }
  };
  const changers = changersOf(tracks, trackOf);
  /** Last reply to each request, because lists repeat. */
  const lastReplies = new Map<Message, Message>();
  const isRepeated = ({ method, request, reply }: Exchange): boolean => {
    if (reply === undefined || listShapes[method] === undefined) return false;
    const before = lastReplies.get(request);
    lastReplies.set(request, reply);
    return reply === before;
  };
  const byEnd = exchanges.toSorted((a, b) => (a.until === b.until ? a.at - b.at : a.until - b.until));
  for (const exchange of byEnd) {
    const { method, outcome, request } = exchange;
    if (method === 'GetContainerEvents') addEvents(exchange);
    if (outcome?.code === 'OK') changers[method]?.(exchange, request.value());
    // A failed start leaves nothing behind that was not there before.
    else if (method === 'StartContainer')
      trackOf('container', request.value<AnyRequest>().containerId ?? '').changes.push(exchange);
    for (const { t, ...sighting } of sightingsOf(exchange, isRepeated(exchange))) add(sighting, t, exchange);
  }
  return tracks;
}
