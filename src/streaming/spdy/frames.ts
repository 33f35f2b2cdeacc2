/** Header names are lower case; several values of one name are joined by a zero byte (SPDY/3 §2.6.10). */
export type Headers = ReadonlyMap<string, string>;

export interface SynStreamFrame {
  readonly kind: 'syn-stream';
  readonly streamId: number;
  readonly associatedId: number;
  /** 0 (highest) to 7. */
  readonly priority: number;
  readonly fin: boolean;
  readonly unidirectional: boolean;
  readonly headers: Headers;
}

export interface SynReplyFrame {
  readonly kind: 'syn-reply';
  readonly streamId: number;
  readonly fin: boolean;
  readonly headers: Headers;
}

export interface HeadersFrame {
  readonly kind: 'headers';
  readonly streamId: number;
  readonly fin: boolean;
  readonly headers: Headers;
}

/** A frame whose header block runs through the connection's compression context. */
export type HeaderFrame = SynStreamFrame | SynReplyFrame | HeadersFrame;

export interface DataFrame {
  readonly kind: 'data';
  readonly streamId: number;
  readonly fin: boolean;
  readonly data: Buffer;
}

export interface Setting {
  /** 24 bits. */
  readonly id: number;
  readonly flags: number;
  readonly value: number;
}

/** A frame without a header block. */
export type PlainFrame =
  | { readonly kind: 'rst-stream'; readonly streamId: number; readonly status: number }
  | { readonly kind: 'settings'; readonly clear: boolean; readonly settings: readonly Setting[] }
  | { readonly kind: 'ping'; readonly id: number }
  | { readonly kind: 'goaway'; readonly lastStreamId: number; readonly status: number }
  | { readonly kind: 'window-update'; readonly streamId: number; readonly delta: number };

export type Frame = DataFrame | HeaderFrame | PlainFrame;

export const VERSION = 3;

/** Control frame types (SPDY/3 §2.6). */
export const FrameType = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goaway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export const FLAG_FIN = 1;
export const FLAG_UNIDIRECTIONAL = 2;
export const FLAG_CLEAR_SETTINGS = 1;

/** RST_STREAM status codes (SPDY/3 §2.6.3). */
export const ResetStatus = {
  protocolError: 1,
  invalidStream: 2,
  refusedStream: 3,
  cancel: 5,
} as const;

/** GOAWAY status codes (SPDY/3 §2.6.6). */
export const GoAwayStatus = { ok: 0, protocolError: 1 } as const;

/** The longest payload of any frame: its length field has 24 bits. */
export const MAX_PAYLOAD = 2 ** 24 - 1;

/** The peer broke the protocol or a limit; the connection can't go on. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}
