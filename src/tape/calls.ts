import type { Entry, EntryOf } from './entries.js';
import { faultRulesIn } from './fault-rules.js';
import type { NumberedEntry } from './read.js';

export interface BegunCall {
  readonly kind: 'begun';
  readonly line: number;
  readonly call: EntryOf<'call'>;
}

export interface FinishedCall {
  readonly kind: 'finished';
  readonly line: number;
  readonly call: EntryOf<'call'>;
  /** Undefined if the tape ends before the call. */
  readonly end: EntryOf<'reply'> | EntryOf<'end'> | undefined;
  /** Line of the end; 0 without one. */
  readonly endLine: number;
  readonly messages: number;
}

export interface OtherEntry {
  readonly kind: 'other';
  readonly line: number;
  readonly entry: Exclude<Entry, EntryOf<'call'> | EntryOf<'reply'> | EntryOf<'end'>>;
}

export interface CallJoiner {
  /** Classifies an entry; undefined for a reply to a call that is not on the tape. */
  take(each: NumberedEntry): BegunCall | FinishedCall | OtherEntry | undefined;
  open(): FinishedCall[];
}

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

/** Returns calls when they end, stream messages immediately, and open calls last. */
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

/** Nanoseconds from request to reply; undefined without a reply. */
export const durationOf = ({ call, end }: FinishedCall): number | undefined => end && end.t - call.t;

export const faultsOf = ({ end }: FinishedCall): readonly string[] => faultRulesIn(end?.trailers);
