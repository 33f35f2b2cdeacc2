import { GrowingBuffer } from '../../base/input/growing-buffer.js';
import {
  FLAG_CLEAR_SETTINGS,
  FLAG_FIN,
  FLAG_UNIDIRECTIONAL,
  type Frame,
  FrameType,
  type Headers,
  type PlainFrame,
  SpdyError,
  VERSION,
} from './frames.js';
import { createHeaderDecoder } from './header-block.js';

/** Reads chunks in the pieces that a parser needs, and requests no chunk before it needs one. */
class ByteReader {
  readonly #source: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterator<Buffer>) {
    this.#source = source;
  }

  /** Resolves with exactly `length` bytes; undefined at the end of the source. Fails if the source ends inside them. */
  async exactly(length: number): Promise<Buffer | undefined> {
    if (this.#rest.length < length) {
      const whole = new GrowingBuffer();
      whole.append(this.#rest);
      while (whole.length < length) {
        const next = await this.#source.next();
        if (!next.done) whole.append(next.value);
        else if (whole.length === 0) return undefined;
        else throw new SpdyError(`connection ended inside a frame: ${whole.length} of ${length} bytes`);
      }
      this.#rest = whole.bytes();
    }
    return this.#take(length);
  }

  /** At least one and at most `limit` bytes, as they arrive; undefined at the end of the source. */
  async some(limit: number): Promise<Buffer | undefined> {
    while (this.#rest.length === 0) {
      const next = await this.#source.next();
      if (next.done) return undefined;
      this.#rest = next.value;
    }
    return this.#take(Math.min(limit, this.#rest.length));
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length);
    this.#rest = this.#rest.subarray(length);
    return taken;
  }
}

/** Bytes of a control frame on the wire after its 8-byte header. */
const MAX_CONTROL_FRAME = 64 * 1024;

interface ControlHeader {
  readonly type: number;
  readonly flags: number;
}

/**
 * The frames of one direction of a SPDY/3.1 connection. A DATA frame is passed on in pieces as its bytes arrive, so
 * that a long one needs no memory; only the last piece can have `fin`. Skips control frames of unknown type (SPDY/3
 * §2.2.1). Throws `SpdyError` when the peer violates the protocol.
 */
export async function* decodeFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame, void> {
  const chunks = source[Symbol.asyncIterator]();
  const reader = new ByteReader(chunks);
  const decoder = createHeaderDecoder();
  try {
    for (;;) {
      const head = await reader.exactly(8);
      if (head === undefined) return;
      const first = head.readUInt32BE(0);
      const flags = head.readUInt8(4);
      const length = head.readUIntBE(5, 3);
      if (first < 0x8000_0000) {
        yield* dataPieces(reader, first, (flags & FLAG_FIN) !== 0, length);
        continue;
      }
      const version = head.readUInt16BE(0) & 0x7fff;
      if (version !== VERSION) throw new SpdyError(`frame of SPDY version ${version}; only 3 is spoken here`);
      if (length > MAX_CONTROL_FRAME)
        throw new SpdyError(`control frame of ${length} bytes; up to ${MAX_CONTROL_FRAME} are taken`);
      const payload = await whole(reader, length);
      const frame = await parseControl({ type: first & 0xffff, flags }, payload, decoder.pass);
      if (frame !== undefined) yield frame;
    }
  } finally {
    decoder.close();
    await chunks.return?.();
  }
}

async function* dataPieces(reader: ByteReader, streamId: number, fin: boolean, length: number) {
  if (streamId === 0) throw new SpdyError('DATA frame for stream 0');
  if (length === 0) yield { kind: 'data', streamId, fin, data: Buffer.alloc(0) } as const;
  for (let left = length; left > 0; ) {
    const data = await reader.some(left);
    if (data === undefined) throw new SpdyError('connection ended inside a DATA frame');
    left -= data.length;
    yield { kind: 'data', streamId, fin: fin && left === 0, data } as const;
  }
}

async function whole(reader: ByteReader, length: number): Promise<Buffer> {
  if (length === 0) return Buffer.alloc(0);
  const payload = await reader.exactly(length);
  if (payload === undefined) throw new SpdyError('connection ended inside a control frame');
  return payload;
}

async function parseControl(
  { type, flags }: ControlHeader,
  payload: Buffer,
  headersOf: (block: Buffer) => Promise<Headers>,
): Promise<Frame | undefined> {
  const fin = (flags & FLAG_FIN) !== 0;
  switch (type) {
    case FrameType.synStream:
      atLeast(payload, 10, 'SYN_STREAM');
      return {
        kind: 'syn-stream',
        streamId: streamIdOf(payload),
        associatedId: payload.readUInt32BE(4) & 0x7fff_ffff,
        priority: payload.readUInt8(8) >> 5,
        fin,
        unidirectional: (flags & FLAG_UNIDIRECTIONAL) !== 0,
        headers: await headersOf(payload.subarray(10)),
      };
    case FrameType.synReply:
    case FrameType.headers:
      atLeast(payload, 4, type === FrameType.synReply ? 'SYN_REPLY' : 'HEADERS');
      return {
        kind: type === FrameType.synReply ? 'syn-reply' : 'headers',
        streamId: streamIdOf(payload),
        fin,
        headers: await headersOf(payload.subarray(4)),
      };
    default:
      return parsePlain({ type, flags }, payload);
  }
}

function parsePlain({ type, flags }: ControlHeader, payload: Buffer): PlainFrame | undefined {
  switch (type) {
    case FrameType.rstStream:
      exactly(payload, 8, 'RST_STREAM');
      return { kind: 'rst-stream', streamId: streamIdOf(payload), status: payload.readUInt32BE(4) };
    case FrameType.settings:
      return parseSettings(flags, payload);
    case FrameType.ping:
      exactly(payload, 4, 'PING');
      return { kind: 'ping', id: payload.readUInt32BE(0) };
    case FrameType.goaway:
      exactly(payload, 8, 'GOAWAY');
      return {
        kind: 'goaway',
        lastStreamId: payload.readUInt32BE(0) & 0x7fff_ffff,
        status: payload.readUInt32BE(4),
      };
    case FrameType.windowUpdate:
      exactly(payload, 8, 'WINDOW_UPDATE');
      return {
        kind: 'window-update',
        // 0 is the whole connection (SPDY/3.1).
        streamId: payload.readUInt32BE(0) & 0x7fff_ffff,
        delta: payload.readUInt32BE(4) & 0x7fff_ffff,
      };
    default:
      return undefined;
  }
}

function parseSettings(flags: number, payload: Buffer): PlainFrame {
  atLeast(payload, 4, 'SETTINGS');
  const count = payload.readUInt32BE(0);
  exactly(payload, 4 + count * 8, 'SETTINGS');
  const settings = Array.from({ length: count }, (_, index) => {
    const offset = 4 + index * 8;
    return {
      flags: payload.readUInt8(offset),
      id: payload.readUIntBE(offset + 1, 3),
      value: payload.readUInt32BE(offset + 4),
    };
  });
  return { kind: 'settings', clear: (flags & FLAG_CLEAR_SETTINGS) !== 0, settings };
}

function streamIdOf(payload: Buffer): number {
  const streamId = payload.readUInt32BE(0) & 0x7fff_ffff;
  if (streamId === 0) throw new SpdyError('stream id 0 in a frame about one stream');
  return streamId;
}

function atLeast(payload: Buffer, length: number, name: string): void {
  if (payload.length < length)
    throw new SpdyError(`${name} frame of ${payload.length} bytes; it has at least ${length}`);
}

function exactly(payload: Buffer, length: number, name: string): void {
  if (payload.length !== length)
    throw new SpdyError(`${name} frame of ${payload.length} bytes; it has ${length}`);
}
