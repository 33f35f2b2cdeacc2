/** Header names are lower case; a zero byte joins several values of one name (SPDY/3 §2.6.10). */
export type Headers = ReadonlyMap<string, string>;

/** Opens a stream: odd ids are the client's (SPDY/3 §2.6.1). */
export interface SynStreamFrame {
  readonly kind: 'syn-stream';
  readonly streamId: number;
  /** 0 for an independent stream. */
  readonly associatedId: number;
  /** 0 (highest) to 7. */
  readonly priority: number;
  readonly fin: boolean;
  readonly unidirectional: boolean;
  readonly headers: Headers;
}

/** Accepts a stream (SPDY/3 §2.6.2). */
export interface SynReplyFrame {
  readonly kind: 'syn-reply';
  readonly streamId: number;
  readonly fin: boolean;
  readonly headers: Headers;
}

/** More headers of an open stream (SPDY/3 §2.6.7). */
export interface HeadersFrame {
  readonly kind: 'headers';
  readonly streamId: number;
  readonly fin: boolean;
  readonly headers: Headers;
}

/** A frame whose header block uses the connection's compression context. */
export type HeaderFrame = SynStreamFrame | SynReplyFrame | HeadersFrame;

/** Bytes of a stream; `fin` ends its sender's half (SPDY/3 §2.2.2). */
export interface DataFrame {
  readonly kind: 'data';
  readonly streamId: number;
  readonly fin: boolean;
  readonly data: Buffer;
}

/** One entry of SETTINGS (SPDY/3 §2.6.4). */
export interface Setting {
  /** 24 bits. */
  readonly id: number;
  /** 8 bits. */
  readonly flags: number;
  /** 32 bits. */
  readonly value: number;
}

export type PlainFrame =
  | { readonly kind: 'rst-stream'; readonly streamId: number; readonly status: number }
  | { readonly kind: 'settings'; readonly clear: boolean; readonly settings: readonly Setting[] }
  | { readonly kind: 'ping'; readonly id: number }
  | { readonly kind: 'goaway'; readonly lastStreamId: number; readonly status: number }
  | { readonly kind: 'window-update'; readonly streamId: number; readonly delta: number };

export type SentPlainFrame = Extract<PlainFrame, { readonly kind: 'rst-stream' | 'ping' | 'goaway' }>;

export type Frame = DataFrame | HeaderFrame | PlainFrame;

/** In every control frame; SPDY/3.1 has 3 too. */
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

/** In SYN_STREAM, SYN_REPLY, HEADERS and data: the sender's last frame on the stream. */
export const FLAG_FIN = 1;
/** In SYN_STREAM: the other side sends nothing. */
export const FLAG_UNIDIRECTIONAL = 2;
/** In SETTINGS: the peer must forget stored settings. */
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

/** The peer violated the protocol or a limit; the connection can't continue. */
export class SpdyError extends Error {
  override readonly name = 'SpdyError';
}
