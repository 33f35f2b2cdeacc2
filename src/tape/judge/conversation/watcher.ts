import { FAULT_TRAILER } from '../../../cri/fault-trailer.js';
import type { EntryOf } from '../../entries.js';
import type { Message } from '../../message.js';

/** A unary call with its answer. */
export interface AnsweredCall {
  readonly method: string;
  readonly call: EntryOf<'call'>;
  readonly reply: EntryOf<'reply'>;
  /** The lines of both. */
  readonly callLine: number;
  readonly replyLine: number;
  readonly isOk: boolean;
  /** The client left before the answer: what was asked may still happen. */
  readonly isOpenEnded: boolean;
  /** The RPC whose chunks these items came in, when it is a streaming list. */
  readonly stream?: string;
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

/** A streaming list that is over. */
export interface FinishedStream {
  readonly call: EntryOf<'call'>;
  readonly end: EntryOf<'end'>;
  readonly callLine: number;
  readonly endLine: number;
  readonly chunks: readonly Message[];
}

/** What a fault makes uncertain: the streams of events, times of the runtime, how containers end; or whatever was known. */
export type Lost = 'events' | 'times' | 'ends' | 'all';

/** A part of the judge: watches the conversation, and adds to the findings. */
export interface Watcher {
  called?(open: OpenCall): void;
  answered?(exchange: AnsweredCall): void;
  streamed?(event: StreamedEvent): void;
  /** Its chunks come once more to `answered`, as the answer of the list that is no stream. */
  finished?(stream: FinishedStream): void;
  /** Something in the life of a container or sandbox, as the runtime has it. */
  lived?(entry: EntryOf<'container' | 'sandbox'>, line: number): void;
  /** A node resource plugin came or went, or a request to or of one is over. */
  plugged?(entry: EntryOf<'plugin' | 'nri'>, line: number): void;
  /** A fault rule has acted. */
  faulted?(fault: EntryOf<'fault'>): void;
  /** The kubelet's back-off has decided about a start. */
  decided?(entry: EntryOf<'backoff'>): void;
  /** A stream of events is over. */
  ended?(end: EntryOf<'end'>, line: number): void;
  /** What its memory rests on beside calls, their answers and the runtime's record. */
  readonly restsOn?: readonly Exclude<Lost, 'all'>[];
  /** Its memory no longer holds: entries are missing, the runtime lost its state, or a fault concerns what it rests on. */
  forget?(): void;
}

/** Whether a fault rule took part in an answer. */
export const isFaulty = ({ trailers }: EntryOf<'reply'> | EntryOf<'end'>): boolean =>
  trailers?.[FAULT_TRAILER] !== undefined;
