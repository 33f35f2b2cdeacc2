import type { Entry, EntryOf } from '../entries.js';

/** A unary call with its answer. */
export interface Exchange {
  readonly method: string;
  readonly call: EntryOf<'call'>;
  readonly reply: EntryOf<'reply'>;
  /** The lines of both. */
  readonly callLine: number;
  readonly replyLine: number;
  readonly isOk: boolean;
  /** The client left before the answer: what was asked may still happen. */
  readonly isOpenEnded: boolean;
}

/** A call that has no answer yet. */
export interface OpenCall {
  readonly call: EntryOf<'call'>;
  readonly line: number;
}

/** One message of the stream of container events. */
export interface StreamedEvent {
  readonly entry: EntryOf<'message'>;
  readonly line: number;
}

/** A part of the judge: watches the conversation, and adds to the findings. */
export interface Watcher {
  called?(open: OpenCall): void;
  answered?(exchange: Exchange): void;
  streamed?(event: StreamedEvent): void;
  ended?(stream: number): void;
  /** From here on nothing is known: entries are missing, or the runtime lost its state. */
  forget?(): void;
}

/** The trailer that marks an answer in which a fault rule took part. */
const FAULT_TRAILER = 'x-mockri-fault';

/** Faults after which the runtime or its events are no longer as the calls left them. */
const LOSING = /^(restart|loseState|drop|duplicate|reorder|delay|end|stall|reply|clockSkew|exit|oom)/;

/** Gives each entry to the watchers that it concerns. */
export function createConversation(watchers: readonly Watcher[]): (line: number, entry: Entry) => void {
  const open = new Map<number, OpenCall>();
  const forget = () => {
    for (const watcher of watchers) watcher.forget?.();
  };
  return (line, entry) => {
    if (entry.kind === 'call') {
      const made = { call: entry, line };
      open.set(entry.call, made);
      for (const watcher of watchers) watcher.called?.(made);
    } else if (entry.kind === 'reply') {
      const asked = open.get(entry.call);
      open.delete(entry.call);
      if (asked === undefined) return;
      const exchange: Exchange = {
        method: entry.method,
        call: asked.call,
        reply: entry,
        callLine: asked.line,
        replyLine: line,
        isOk: entry.code === 'OK' && entry.by === undefined && !isFaulty(entry),
        // A rule may have answered instead of the runtime, before or after it acted.
        isOpenEnded: entry.by !== undefined || isFaulty(entry) || isTransport(entry),
      };
      for (const watcher of watchers) watcher.answered?.(exchange);
    } else if (entry.kind === 'message') {
      if (entry.method !== 'GetContainerEvents') return;
      for (const watcher of watchers) watcher.streamed?.({ entry, line });
    } else if (entry.kind === 'end') {
      open.delete(entry.call);
      for (const watcher of watchers) watcher.ended?.(entry.call);
    } else if (entry.kind === 'gap' || (entry.kind === 'fault' && LOSING.test(entry.action))) forget();
  };
}

const isFaulty = ({ trailers }: EntryOf<'reply'>): boolean => trailers?.[FAULT_TRAILER] !== undefined;

/** Codes that a connection or a deadline gives, whatever the runtime did. */
const isTransport = ({ code }: EntryOf<'reply'>): boolean =>
  code === 'UNAVAILABLE' || code === 'CANCELLED' || code === 'DEADLINE_EXCEEDED';
