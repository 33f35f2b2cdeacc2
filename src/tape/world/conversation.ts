import { append } from '../../base/input/group-by.js';
import { createCallJoiner, type FinishedCall, type OtherEntry } from '../calls.js';
import type { Entry, EntryOf } from '../entries.js';
import { faultRulesIn } from '../fault-rules.js';
import type { Message } from '../message.js';
import { createListJoiner } from './list-joiner.js';
import type { AnsweredCall, Lost, Watcher } from './watcher.js';

/** A delayed call or reply has the same contents. */
const isHarmless = ({ action, on }: EntryOf<'fault'>): boolean =>
  action === 'delay' && (on === 'call' || on === 'reply');

/** Knowledge that a fault makes uncertain. Replies that it affected say so themselves. */
function lostBy(fault: EntryOf<'fault'>): Lost | undefined {
  const { action, on, method } = fault;
  if (action === 'restart') return 'all';
  // Among faults on plugin requests, only a restart affects the rest.
  if (method?.startsWith('nri:') || isHarmless(fault)) return undefined;
  if (action === 'loseState') return 'all';
  if (action === 'clockSkew') return 'times';
  if (action === 'exit' || action === 'oom') return 'ends';
  return on === 'message' || method === 'GetContainerEvents' ? 'events' : undefined;
}

export function createConversation(watchers: readonly Watcher[]): (line: number, entry: Entry) => void {
  const joiner = createCallJoiner();
  const chunks = new Map<number, Message[]>();
  const joined = createListJoiner();
  const delaying = new Set<string>();
  const answered = (exchange: AnsweredCall) => {
    for (const watcher of watchers) watcher.answered?.(exchange);
  };
  const finished = ({ call, line, endLine }: FinishedCall, end: EntryOf<'end'>) => {
    const stream = { call, end, callLine: line, endLine, chunks: chunks.get(call.call) ?? [] };
    chunks.delete(call.call);
    for (const watcher of watchers) watcher.finished?.(stream);
    const exchange = joined(stream);
    if (exchange !== undefined) answered(exchange);
  };
  const acted = (fault: EntryOf<'fault'>) => {
    for (const watcher of watchers) watcher.faulted?.(fault);
    if (isHarmless(fault)) delaying.add(fault.rule);
    else delaying.delete(fault.rule);
    const lost = lostBy(fault);
    if (lost !== undefined) forget(lost);
  };
  const forget = (lost: Lost) => {
    for (const watcher of watchers) if (lost === 'all' || watcher.restsOn?.includes(lost)) watcher.forget?.();
  };
  const other = (line: number, entry: OtherEntry['entry']) => {
    if (entry.kind === 'message') {
      if (entry.method === 'GetContainerEvents')
        for (const watcher of watchers) watcher.streamed?.({ entry, line });
      else append(chunks, entry.call, entry.message);
    } else if (entry.kind === 'container' || entry.kind === 'sandbox') {
      for (const watcher of watchers) watcher.lived?.(entry, line);
    } else if (entry.kind === 'plugin' || entry.kind === 'nri') {
      for (const watcher of watchers) watcher.plugged?.(entry, line);
    } else if (entry.kind === 'backoff') {
      for (const watcher of watchers) watcher.decided?.(entry);
    } else if (entry.kind === 'fault') acted(entry);
    else if (entry.kind === 'gap') forget('all');
  };

  return (line, entry) => {
    const step = joiner.take({ line, entry });
    if (entry.kind === 'end' && entry.method === 'GetContainerEvents')
      for (const watcher of watchers) watcher.ended?.(entry, line);
    else if (step?.kind === 'begun') for (const watcher of watchers) watcher.called?.(step);
    else if (step?.kind === 'other') other(line, step.entry);
    else if (step?.end?.kind === 'reply') answered(answeredCall(step, step.end, delaying));
    else if (step?.end?.kind === 'end') finished(step, step.end);
  };
}

function answeredCall(
  { call, line, endLine }: FinishedCall,
  reply: EntryOf<'reply'>,
  delaying: ReadonlySet<string>,
): AnsweredCall {
  // A rule may have replied instead of the runtime, before or after it acted.
  const isForeign =
    reply.by !== undefined || faultRulesIn(reply.trailers).some((rule) => !delaying.has(rule));
  return {
    method: reply.method,
    call,
    reply,
    callLine: line,
    replyLine: endLine,
    isOk: reply.code === 'OK' && !isForeign,
    isOpenEnded: isForeign || isTransport(reply),
  };
}

/** Codes of connections and deadlines, independent of the runtime. */
const isTransport = ({ code }: EntryOf<'reply'>): boolean =>
  code === 'UNAVAILABLE' || code === 'CANCELLED' || code === 'DEADLINE_EXCEEDED';
