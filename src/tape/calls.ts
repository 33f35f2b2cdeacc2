import type { Entry, EntryOf } from './entries.js';
import { faultRulesIn } from './fault-rules.js';
import type { NumberedEntry } from './read.js';

/** A request has come. */
export interface BegunCall {
  readonly kind: 'begun';
  readonly line: number;
  readonly call: EntryOf<'call'>;
}

/** A call with how it ended. */
export interface FinishedCall {
  readonly kind: 'finished';
  /** The line of the request. */
  readonly line: number;
  readonly call: EntryOf<'call'>;
  /** Undefined when the tape ends before the call does. */
  readonly end: EntryOf<'reply'> | EntryOf<'end'> | undefined;
  /** The line of the end; 0 without one. */
  readonly endLine: number;
  /** Messages of its stream. */
  readonly messages: number;
}

/** An entry that is no part of a call, or one message of a stream. */
export interface OtherEntry {
  readonly kind: 'other';
  readonly line: number;
  readonly entry: Exclude<Entry, EntryOf<'call'> | EntryOf<'reply'> | EntryOf<'end'>>;
}

/** Puts requests and answers together, entry by entry. */
export interface CallJoiner {
  /** What an entry is; undefined for an answer to a call that is not on the tape. */
  take(each: NumberedEntry): BegunCall | FinishedCall | OtherEntry | undefined;
  /** The calls without an answer so far. */
  open(): FinishedCall[];
}

/** Joins the entries of one tape, which come in its order. */
export function createCallJoiner(): CallJoiner {
  const calls = new Map<number, { readonly begun: BegunCall; messages: number }>();
  return {
    take: ({ line, entry }) => {
      if (entry.kind === 'call') {
        const begun = { kind: 'begun', line, call: entry } as const;
        calls.set(entry.call, { begun, messages: 0 });
        return begun;
      }
      if (entry.kind === 'reply' || entry.kind === 'end') {
        const made = calls.get(entry.call);
        if (made === undefined) return undefined;
        calls.delete(entry.call);
        const { begun, messages } = made;
        return { kind: 'finished', line: begun.line, call: begun.call, end: entry, endLine: line, messages };
      }
      if (entry.kind === 'message') {
        const made = calls.get(entry.call);
        if (made !== undefined) made.messages++;
      }
      return { kind: 'other', line, entry };
    },
    open: () =>
      [...calls.values()].map(({ begun, messages }) => ({
        ...begun,
        kind: 'finished',
        end: undefined,
        endLine: 0,
        messages,
      })),
  };
}

/**
 * The calls of a tape and what is between them. Each call comes when it ends, and messages of streams as they are; calls
 * that are open at the end come last.
 */
export async function* joinCalls(
  entries: AsyncIterable<NumberedEntry>,
): AsyncGenerator<FinishedCall | OtherEntry> {
  const joiner = createCallJoiner();
  for await (const each of entries) {
    const joined = joiner.take(each);
    if (joined !== undefined && joined.kind !== 'begun') yield joined;
  }
  yield* joiner.open();
}

/** Nanoseconds from request to answer; undefined for a call that has none. */
export const durationOf = ({ call, end }: FinishedCall): number | undefined => end && end.t - call.t;

/** The fault rules that took part in a call. */
export const faultsOf = ({ end }: FinishedCall): readonly string[] => faultRulesIn(end?.trailers);
