import type { Entry, EntryOf } from './entries.js';
import { faultRulesIn } from './fault-rules.js';
import type { NumberedEntry } from './read.js';

/** A call with how it ended. */
export interface FinishedCall {
  readonly kind: 'finished';
  /** The line of the request. */
  readonly line: number;
  readonly call: EntryOf<'call'>;
  /** Undefined when the tape ends before the call does. */
  readonly end: EntryOf<'reply'> | EntryOf<'end'> | undefined;
  /** Messages of its stream. */
  readonly messages: number;
}

/** An entry that is no part of a call. */
export interface OtherEntry {
  readonly kind: 'other';
  readonly line: number;
  readonly entry: Exclude<Entry, EntryOf<'call'> | EntryOf<'reply'> | EntryOf<'end'>>;
}

/**
 * Puts requests and answers together. Each call comes when it ends, and messages of streams as they are; calls that
 * are open at the end come last.
 */
export async function* joinCalls(
  entries: AsyncIterable<NumberedEntry>,
): AsyncGenerator<FinishedCall | OtherEntry> {
  const open = new Map<number, { line: number; call: EntryOf<'call'>; messages: number }>();
  for await (const { line, entry } of entries) {
    if (entry.kind === 'call') open.set(entry.call, { line, call: entry, messages: 0 });
    else if (entry.kind === 'reply' || entry.kind === 'end') {
      const made = open.get(entry.call);
      open.delete(entry.call);
      if (made !== undefined) yield { kind: 'finished', ...made, end: entry };
    } else {
      const stream = entry.kind === 'message' ? open.get(entry.call) : undefined;
      if (stream !== undefined) stream.messages++;
      yield { kind: 'other', line, entry };
    }
  }
  for (const made of open.values()) yield { kind: 'finished', ...made, end: undefined };
}

/** Nanoseconds from request to answer; undefined for a call that has none. */
export const durationOf = ({ call, end }: FinishedCall): number | undefined => end && end.t - call.t;

/** The fault rules that took part in a call. */
export const faultsOf = ({ end }: FinishedCall): readonly string[] => faultRulesIn(end?.trailers);
