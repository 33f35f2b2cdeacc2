import { forgetOldest } from '../../../base/input/forget-oldest.js';
import { type ContainerEventResponse, ContainerEventType } from '../../../cri/gen/runtime/v1/api.js';
import type { Objects } from '../../world/objects.js';
import { eventNames } from '../../world/shown.js';
import type { TrackedObject } from '../../world/tracked-object.js';
import type { StreamedEvent, Watcher } from '../../world/watcher.js';
import { isFaulty } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

const { CONTAINER_CREATED_EVENT, CONTAINER_STARTED_EVENT, CONTAINER_STOPPED_EVENT, CONTAINER_DELETED_EVENT } =
  ContainerEventType;
interface Stream {
  /** Line of its first event, from which on it receives all events. */
  since: number;
  readonly seen: Map<string, Set<ContainerEventType>>;
  /** Events that other streams received, with their time. */
  readonly awaited: Map<string, { readonly createdAt: bigint; readonly line: number; readonly id: string }>;
}

const MOST_AWAITED = 1000;

/** Finds missing events, and streams that end (INV-29, 30, 32, 34). */
export function watchLostEvents(objects: Objects, findings: Findings): Watcher {
  const streams = new Map<number, Stream>();
  /** A stream that the runtime ended, until a reply shows that the runtime still runs. */
  let ended: { readonly line: number; readonly code: string } | undefined;

  const deletions = checkDeletions(objects, findings);
  const streamOf = (call: number): Stream => {
    const known = streams.get(call) ?? { since: 0, seen: new Map(), awaited: new Map() };
    streams.set(call, known);
    return known;
  };
  /** Every event goes to all subscribers: events that others received must come before any later one. */
  const compare = ({ entry, line }: StreamedEvent, stream: Stream) => {
    const {
      containerId: id,
      containerEventType: type,
      createdAt,
    } = entry.message.value<ContainerEventResponse>();
    const key = `${id} ${type}`;
    if (!stream.awaited.delete(key))
      for (const other of streams.values())
        if (
          other !== stream &&
          other.since > 0 &&
          !other.seen.get(id)?.has(type) &&
          other.awaited.size < MOST_AWAITED
        )
          other.awaited.set(key, { createdAt, line, id });
    for (const [missing, { createdAt: before, line: at, id: about }] of stream.awaited) {
      if (before >= createdAt) continue;
      stream.awaited.delete(missing);
      const what = eventNames[Number(missing.split(' ')[1])];
      findings.add(
        'INV-30.two-subscribers',
        about,
        `${what} of ${nameOf(about)} reaches only one of two subscribers`,
        [at, line],
      );
    }
  };
  const nameOf = (id: string) => objects.byId.get(id)?.name ?? id.slice(0, 13);

  const contents = ({ entry, line }: StreamedEvent) => {
    const event = entry.message.value<ContainerEventResponse>();
    const { containerId: id, containerEventType: type, containersStatuses, podSandboxStatus } = event;
    if (podSandboxStatus === undefined || podSandboxStatus.id === id || type === CONTAINER_DELETED_EVENT)
      return;
    const object = objects.byId.get(id);
    const isRemoved = object === undefined || object.presence !== 'present' || isBeingRemoved(object);
    if (!isRemoved && !containersStatuses.some((status) => status.id === id))
      findings.add('INV-32.contents', id, `${eventNames[type]} of ${nameOf(id)} has no status of it`, [line]);
  };
  const isBeingRemoved = ({ changing, sandboxId }: TrackedObject) =>
    changing > 0 || (objects.byId.get(sandboxId)?.changing ?? 0) > 0;

  return {
    called: ({ call }) => {
      if (call.method === 'GetContainerEvents') streamOf(call.call);
    },
    streamed: (event) => {
      const stream = streamOf(event.entry.call);
      if (stream.since === 0) stream.since = event.line;
      const { containerId: id, containerEventType: type } =
        event.entry.message.value<ContainerEventResponse>();
      compare(event, stream);
      contents(event);
      const types = stream.seen.get(id) ?? new Set();
      stream.seen.set(id, types.add(type));
      forgetOldest(stream.seen);
      if (type !== CONTAINER_DELETED_EVENT) return;
      const object = objects.byId.get(id);
      if (object !== undefined) deletions.deleted(object, stream, event.line);
    },
    ended: (entry, line) => {
      streams.delete(entry.call);
      if (entry.by === undefined && entry.code === 'OK' && !isFaulty(entry))
        ended = { line, code: entry.code };
    },
    answered: ({ callLine, replyLine, isOk }) => {
      if (ended === undefined || !isOk || callLine < ended.line) return;
      const text = 'the runtime ends a stream of events, and continues to answer';
      findings.add('INV-29.unsubscribed', 'events', text, [ended.line, replyLine]);
      ended = undefined;
    },
    restsOn: ['events', 'times'],
    forget: () => {
      streams.clear();
      ended = undefined;
    },
  };
}

function checkDeletions(objects: Objects, findings: Findings) {
  /** Events that did not arrive before DELETED never will. */
  const complete = (object: TrackedObject, types: ReadonlySet<ContainerEventType>, line: number) => {
    const isSandbox = object.kind === 'sandbox';
    const hasRun = isSandbox || object.hasRun || types.has(CONTAINER_STARTED_EVENT);
    const expected = hasRun
      ? [CONTAINER_CREATED_EVENT, CONTAINER_STARTED_EVENT, CONTAINER_STOPPED_EVENT]
      : [CONTAINER_CREATED_EVENT];
    for (const type of expected) {
      if (types.has(type)) continue;
      const isRemoval =
        type === CONTAINER_STOPPED_EVENT && (objects.byId.get(object.sandboxId)?.changing ?? 0) > 0;
      const rule = isSandbox ? 'INV-29.sandbox' : isRemoval ? 'INV-34.removal-order' : 'INV-29.container';
      findings.add(rule, object.id, `DELETED of ${object.name} comes without its ${eventNames[type]}`, [
        object.madeAt,
        line,
      ]);
    }
  };

  const removal = (sandbox: TrackedObject, stream: Stream, line: number) => {
    for (const container of objects.containersOf(sandbox.id)) {
      const types = stream.seen.get(container.id);
      if (types === undefined || types.has(CONTAINER_DELETED_EVENT) || container.madeAt <= stream.since)
        continue;
      const text = `DELETED of ${sandbox.name} comes before that of ${container.name}`;
      findings.add('INV-34.removal-order', container.id, text, [line]);
    }
  };

  return {
    deleted: (object: TrackedObject, stream: Stream, line: number) => {
      if (object.madeAt > stream.since) complete(object, stream.seen.get(object.id) ?? new Set(), line);
      if (object.kind === 'sandbox') removal(object, stream, line);
    },
  };
}
