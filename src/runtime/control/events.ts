import { z } from 'zod';
import { descriptorsOf } from '../../base/host/descriptors.js';
import type { CallLog } from '../server/call-log.js';
import { EventFeed, type EventSources, runtimeEvents } from './event-feed.js';
import { createInbox } from './inbox.js';
import { oneNode } from './problem.js';
import { type Admit, limitReaders } from './reader-limit.js';
import type { EventStream, Route } from './router.js';
import { describeCall } from './runtime-routes.js';
import { encodeEvent } from './server-sent-event.js';

/** Bytes that may wait for one reader. Readers share the entries, so slow readers cost little more. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Readers of one process at a time; each needs a descriptor. */
const MOST_READERS = 512;
const READER_SHARE = 16;

export const eventsSchema = z.strictObject({
  node: z.string().optional().describe('with mockri node: name of a node, or a pattern such as mock-1*'),
});

/**
 * `GET /v1/events`: sends finished calls as `call`, container events as `event` and applied fault rules as `fault`,
 * live, as server-sent events. The id of each is the number of the last finished call: a client that reconnects with
 * Last-Event-ID first gets the calls that it missed, if they are still in the history.
 */
export function eventRoutes(sources: EventSources): Route[] {
  const feed = new EventFeed(runtimeEvents(sources));
  const admit = limitEventReaders();
  return [
    {
      method: 'GET',
      path: '/v1/events',
      handle: ({ query, signal, lastEventId }) => {
        if (query(eventsSchema).node !== undefined) throw oneNode();
        const left = admit();
        const before = lastEventId === undefined ? [] : missed(sources.log, lastEventId);
        return { events: openEvents(feed, signal, left, before) };
      },
    },
  ];
}

export const limitEventReaders = (): Admit =>
  limitReaders('/v1/events', descriptorsOf(MOST_READERS, READER_SHARE));

/** Sends entries to one reader, those of `before` first; disconnects a slow one. Calls `left` at its end. */
export function openEvents(
  feed: EventFeed,
  signal: AbortSignal,
  left: () => void,
  before: Iterable<Buffer> = [],
): EventStream {
  const overrun = new AbortController();
  const over = AbortSignal.any([signal, overrun.signal]);
  const inbox = createInbox<Buffer>((entry) => entry.length, over);
  const leave = feed.join((entry) => {
    inbox.push(entry);
    if (inbox.size > MOST_BYTES) overrun.abort();
  });
  const leaveAndForget = () => {
    leave();
    left();
    inbox.take();
  };
  if (over.aborted) leaveAndForget();
  else over.addEventListener('abort', leaveAndForget, { once: true });

  async function* entries(): AsyncGenerator<Buffer> {
    yield* before;
    while (!over.aborted) {
      const next = inbox.shift();
      if (next === undefined) await inbox.filled();
      else yield next;
    }
    if (overrun.signal.aborted) yield FAREWELL;
  }
  return { overrun: overrun.signal, [Symbol.asyncIterator]: entries };
}

const FAREWELL = encodeEvent({
  event: 'end',
  data: {
    detail: `more than ${MOST_BYTES} bytes wait for this reader; read faster, and come again with Last-Event-ID`,
  },
});

/** The calls since a client left; `lost` counts those that the history no longer has. */
function* missed(log: CallLog, since: number): Generator<Buffer> {
  const calls = log.list({ since });
  const lost = Math.max(0, log.sequence - since) - calls.length;
  if (lost > 0) yield encodeEvent({ event: 'lost', data: { count: lost } });
  for (const call of calls) yield encodeEvent({ id: call.sequence, event: 'call', data: describeCall(call) });
}
