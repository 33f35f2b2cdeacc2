import { FAULT_TRAILER } from '../../cri/fault-trailer.js';
import type { EntryOf } from '../entries.js';
import type { Message } from '../message.js';

export interface AnsweredCall {
  readonly method: string;
  readonly call: EntryOf<'call'>;
  readonly reply: EntryOf<'reply'>;
  readonly callLine: number;
  readonly replyLine: number;
  readonly isOk: boolean;
  /** The client left before the reply: the request may still be executed. */
  readonly isOpenEnded: boolean;
  /** The RPC of the chunks, for a streaming list. */
  readonly stream?: string;
}

export interface OpenCall {
  readonly call: EntryOf<'call'>;
  readonly line: number;
}

export interface StreamedEvent {
  readonly entry: EntryOf<'message'>;
  readonly line: number;
}

export interface FinishedStream {
  readonly call: EntryOf<'call'>;
  readonly end: EntryOf<'end'>;
  readonly callLine: number;
  readonly endLine: number;
  readonly chunks: readonly Message[];
}

/** Knowledge that a fault makes uncertain: event streams, the runtime's times, ends of containers, or everything. */
export type Lost = 'events' | 'times' | 'ends' | 'all';

export interface Watcher {
  called?(open: OpenCall): void;
  answered?(exchange: AnsweredCall): void;
  streamed?(event: StreamedEvent): void;
  /** Its chunks also reach `answered`, as the reply of the unary list. */
  finished?(stream: FinishedStream): void;
  lived?(entry: EntryOf<'container' | 'sandbox'>, line: number): void;
  /** A node resource plugin connected or disconnected, or a request to or from one has finished. */
  plugged?(entry: EntryOf<'plugin' | 'nri'>, line: number): void;
  faulted?(fault: EntryOf<'fault'>): void;
  decided?(entry: EntryOf<'backoff'>): void;
  ended?(end: EntryOf<'end'>, line: number): void;
  /** Knowledge it depends on, in addition to calls, replies and the runtime's record. */
  readonly restsOn?: readonly Exclude<Lost, 'all'>[];
  /** Forget everything: entries are missing, the runtime lost its state, or a fault affects what it depends on. */
  forget?(): void;
}

export const isFaulty = ({ trailers }: EntryOf<'reply'> | EntryOf<'end'>): boolean =>
  trailers?.[FAULT_TRAILER] !== undefined;
