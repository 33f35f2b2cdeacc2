import type { Entry, EntryOf } from '../entries.js';
import type { Message } from '../message.js';
import { type Exchange, isFaulty, type OpenCall, type Watcher } from './exchange.js';
import { createListJoiner } from './stream-lists.js';

/** Faults after which the runtime or its events are no longer as the calls left them. */
const LOSING = /^(restart|loseState|drop|duplicate|reorder|delay|end|stall|reply|clockSkew|exit|oom)/;

/** A call under way, with what its stream has brought so far. */
interface OpenStream extends OpenCall {
  readonly chunks: Message[];
}

/** Gives each entry to the watchers that it concerns. */
export function createConversation(watchers: readonly Watcher[]): (line: number, entry: Entry) => void {
  const open = new Map<number, OpenStream>();
  const joined = createListJoiner();
  const forget = () => {
    for (const watcher of watchers) watcher.forget?.();
  };
  const answered = (exchange: Exchange) => {
    for (const watcher of watchers) watcher.answered?.(exchange);
  };

  const end = (entry: EntryOf<'end'>, line: number) => {
    const asked = open.get(entry.call);
    open.delete(entry.call);
    if (entry.method === 'GetContainerEvents') {
      for (const watcher of watchers) watcher.ended?.(entry, line);
    } else if (asked !== undefined) {
      const stream = {
        call: asked.call,
        end: entry,
        callLine: asked.line,
        endLine: line,
        chunks: asked.chunks,
      };
      for (const watcher of watchers) watcher.finished?.(stream);
      const exchange = joined(stream);
      if (exchange !== undefined) answered(exchange);
    }
  };

  return (line, entry) => {
    if (entry.kind === 'call') {
      const made = { call: entry, line, chunks: [] };
      open.set(entry.call, made);
      for (const watcher of watchers) watcher.called?.(made);
    } else if (entry.kind === 'reply') {
      const asked = open.get(entry.call);
      open.delete(entry.call);
      if (asked !== undefined) answered(exchangeOf(asked, entry, line));
    } else if (entry.kind === 'message') {
      if (entry.method !== 'GetContainerEvents') open.get(entry.call)?.chunks.push(entry.message);
      else for (const watcher of watchers) watcher.streamed?.({ entry, line });
    } else if (entry.kind === 'end') end(entry, line);
    else if (entry.kind === 'gap' || (entry.kind === 'fault' && LOSING.test(entry.action))) forget();
  };
}

const exchangeOf = (asked: OpenCall, reply: EntryOf<'reply'>, line: number): Exchange => ({
  method: reply.method,
  call: asked.call,
  reply,
  callLine: asked.line,
  replyLine: line,
  isOk: reply.code === 'OK' && reply.by === undefined && !isFaulty(reply),
  // A rule may have answered instead of the runtime, before or after it acted.
  isOpenEnded: reply.by !== undefined || isFaulty(reply) || isTransport(reply),
});

/** Codes that a connection or a deadline gives, whatever the runtime did. */
const isTransport = ({ code }: EntryOf<'reply'>): boolean =>
  code === 'UNAVAILABLE' || code === 'CANCELLED' || code === 'DEADLINE_EXCEEDED';
