import { append } from '../../base/input/group-by.js';
import { type FinishedCall, joinCalls } from '../calls.js';
import type { EntryOf, Header, Subject } from '../entries.js';
import { createPacker, type Message } from '../message.js';
import { entriesOfOneNode } from '../of-nodes.js';
import type { TapeFile } from '../read.js';

type CallOutcome = Pick<EntryOf<'reply'>, 'code' | 'details' | 'trailers' | 'by'>;

export interface Exchange {
  readonly line: number;
  readonly method: string;
  /** Time of the request in ns since the tape's start. All requests, replies and messages have distinct times. */
  readonly at: number;
  /** The client's deadline in ns; undefined without one. */
  readonly timeout: number | undefined;
  readonly request: Message;
  readonly subject: Subject;
  /** Time of the end in ns since the tape's start; Infinity if the tape ends first. */
  readonly until: number;
  /** Undefined if the tape ends before the call. */
  readonly outcome: CallOutcome | undefined;
  readonly reply: Message | undefined;
  readonly messages: readonly { readonly t: number; readonly message: Message }[];
}

export interface History {
  readonly header: Header;
  /** Ordered by request time. */
  readonly exchanges: readonly Exchange[];
}

/** Nanoseconds added per line, so that lines of equal time keep their order. */
const LINE = 0.01;

const timeOf = (line: number, { t }: { readonly t: number }): number => t + line * LINE;

/**
 * Reads a whole tape. Keeps messages as bytes, without duplicates, and decodes them on use. Throws InputError for an
 * invalid line, and for a tape of several nodes.
 */
export async function readHistory(tape: TapeFile): Promise<History> {
  const pack = createPacker();
  const subjects = createSubjectPool();
  const streams = new Map<number, { readonly t: number; readonly message: Message }[]>();
  const exchanges: Exchange[] = [];
  for await (const each of joinCalls(entriesOfOneNode(tape))) {
    if (each.kind === 'finished') {
      const { call } = each.call;
      exchanges.push(exchangeOf(each, streams.get(call) ?? NO_MESSAGES, pack, subjects));
      streams.delete(call);
    } else if (each.entry.kind === 'message') {
      const { call, message } = each.entry;
      append(streams, call, { t: timeOf(each.line, each.entry), message: pack(message) });
    }
  }
  exchanges.sort((a, b) => a.at - b.at);
  return { header: tape.header, exchanges };
}

const NO_MESSAGES: Exchange['messages'] = [];

function exchangeOf(
  { line, call, end, endLine }: FinishedCall,
  messages: Exchange['messages'],
  pack: (message: Message) => Message,
  subjectOf: (subject: Subject) => Subject,
): Exchange {
  const { method, timeout } = call;
  return {
    line,
    method,
    at: timeOf(line, call),
    timeout,
    request: pack(call.message),
    subject: subjectOf(call),
    until: end === undefined ? Number.POSITIVE_INFINITY : timeOf(endLine, end),
    outcome: end && outcomeOf(end),
    reply: end?.kind === 'reply' && end.message !== undefined ? pack(end.message) : undefined,
    messages,
  };
}

const SUCCESS: CallOutcome = { code: 'OK' };

function outcomeOf({ code, details, trailers, by }: CallOutcome): CallOutcome {
  if (code === 'OK' && !details && !trailers && !by) return SUCCESS;
  return { code, ...(details && { details }), ...(trailers && { trailers }), ...(by && { by }) };
}

function createSubjectPool(): (subject: Subject) => Subject {
  const known = new Map<string, Subject>();
  return ({ pod, container }) => {
    const key = JSON.stringify([pod, container]);
    const found = known.get(key) ?? { ...(pod && { pod }), ...(container && { container }) };
    known.set(key, found);
    return found;
  };
}
