import type { EntryOf, Header, Subject } from '../entries.js';
import type { Message } from '../message.js';
import type { NumberedEntry, TapeFile } from '../read.js';

/** How a call ended. */
export type Outcome = Pick<EntryOf<'reply'>, 'code' | 'details' | 'trailers' | 'by'>;

/** One call of a tape, from its request to its end. */
export interface Exchange {
  /** The line of the request. */
  readonly line: number;
  readonly method: string;
  /** When the request came, in ns since the tape's start. No two requests, replies and messages have the same time. */
  readonly at: number;
  /** Nanoseconds that the client gave it; undefined without a deadline. */
  readonly timeout: number | undefined;
  readonly request: Message;
  readonly subject: Subject;
  /** When it ended, in ns since the tape's start; infinite when the tape ends before. */
  readonly until: number;
  /** Undefined when the tape ends before the call does. */
  readonly outcome: Outcome | undefined;
  /** What a unary call was answered with. */
  readonly reply: Message | undefined;
  /** What a stream has sent. */
  readonly messages: readonly { readonly t: number; readonly message: Message }[];
}

/** A whole tape in memory. */
export interface History {
  readonly header: Header;
  /** By the time of their requests. */
  readonly exchanges: readonly Exchange[];
}

type Growing = { -readonly [Field in keyof Exchange]: Exchange[Field] } & {
  messages: { t: number; message: Message }[];
};

/** Nanoseconds between two lines of the same time, so that what comes first stays first. */
const LINE = 0.01;

const timeOf = ({ line, entry }: NumberedEntry): number => entry.t + line * LINE;

/** Reads a whole tape. Throws InputError for a line that is none. */
export async function readHistory(tape: TapeFile): Promise<History> {
  const exchanges: Exchange[] = [];
  const open = new Map<number, Growing>();
  for await (const each of tape.entries) {
    const begun = beginning(each);
    if (begun !== undefined) {
      exchanges.push(begun);
      open.set((each.entry as EntryOf<'call'>).call, begun);
    } else take(open, each);
  }
  return { header: tape.header, exchanges };
}

function beginning(each: NumberedEntry): Growing | undefined {
  const { line, entry } = each;
  if (entry.kind !== 'call') return undefined;
  const { method, message: request, pod, container, timeout } = entry;
  const subject = { ...(pod && { pod }), ...(container && { container }) };
  const unanswered = { until: Number.POSITIVE_INFINITY, outcome: undefined, reply: undefined };
  return { line, method, at: timeOf(each), timeout, request, subject, ...unanswered, messages: [] };
}

function take(open: Map<number, Growing>, each: NumberedEntry): void {
  const { entry } = each;
  if (entry.kind === 'message') {
    open.get(entry.call)?.messages.push({ t: timeOf(each), message: entry.message });
  } else if (entry.kind === 'reply' || entry.kind === 'end') {
    const exchange = open.get(entry.call);
    open.delete(entry.call);
    if (exchange === undefined) return;
    const { code, details, trailers, by } = entry;
    exchange.until = timeOf(each);
    exchange.outcome = {
      code,
      ...(details && { details }),
      ...(trailers && { trailers }),
      ...(by && { by }),
    };
    exchange.reply = entry.kind === 'reply' ? entry.message : undefined;
  }
}
