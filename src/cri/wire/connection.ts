import type { Duplex } from 'node:stream';
import {
  ErrorCode,
  Flag,
  FRAME_HEADER,
  FrameType,
  frame,
  frameReader,
  numberFrame,
  PREFACE,
  Setting,
  settings,
  unpadded,
  writeFrameHeader,
} from './frames.js';
import { HeaderBlocks } from './header-blocks.js';
import type { Fields } from './hpack.js';
import { CLOSING, statusOfBreak, statusOfReset, type WireStatus } from './status.js';

/** What one call hears from its connection; after `end` or `cut` nothing more. */
export interface StreamListener {
  headers(fields: Fields): void;
  /** More comes only as far as `OutgoingStream.taken` has been told of what came. */
  data(bytes: Buffer): void;
  /** The peer is done. */
  end(): void;
  /** It ended before its time. When the peer has certainly not looked at it, it may be sent again elsewhere. */
  cut(status: WireStatus, isUnprocessed: boolean): void;
}

/** An HTTP/2 stream in its client's hand. */
export interface OutgoingStream {
  /** So many bytes of data have been taken, and others may come. */
  taken(bytes: number): void;
  /** Gives the stream up; its listener hears nothing more. */
  cancel(): void;
}

interface Stream extends OutgoingStream {
  readonly listener: StreamListener;
  /** Bytes that may be sent. */
  window: number;
  /** What waits for the window. */
  unsent: Buffer | undefined;
  /** Bytes taken that the peer has not been told of yet. */
  owed: number;
}

const DEFAULT_WINDOW = 65_535;
const LARGEST_WINDOW = 2 ** 31 - 1;
const REFUSED_STREAM = 7;
const SENT_AWAY = 'the server sent GOAWAY';

/** Windows are given back in pieces of this many bytes. */
const CREDIT = DEFAULT_WINDOW >> 1;

/** What a connection needs of its socket. */
export interface Connectable extends Pick<Duplex, 'on'> {
  write(bytes: Buffer): unknown;
  end(): unknown;
  destroy(): unknown;
  ref(): unknown;
  unref(): unknown;
}

/**
 * A client's side of one HTTP/2 connection (RFC 9113), as much of it as gRPC needs: streams that begin with headers
 * and one body, no push, no priorities, no header table. Who made the socket hands over what comes. `onReady` is
 * called when the server has greeted, `onClosed` when there is no more use in it for new streams; streams under way are
 * told themselves.
 */
export class Http2Connection {
  readonly #socket: Connectable;
  readonly #onReady: () => void;
  readonly #onClosed: (reason: string) => void;
  readonly #streams = new Map<number, Stream>();
  /** Streams that the peer has no room for yet, by what begins them. */
  readonly #waiting = new Map<() => void, StreamListener>();
  readonly #blocks = new HeaderBlocks((id, isEnd, fields) => this.#fields(id, isEnd, fields));
  readonly #read = frameReader((type, flags, stream, payload) => this.#frame(type, flags, stream, payload));
  #nextId = 1;
  #window = DEFAULT_WINDOW;
  #streamWindow = DEFAULT_WINDOW;
  #frameSize = 16_384;
  #mostStreams = Number.POSITIVE_INFINITY;
  #received = 0;
  #isReady = false;
  #isClosed = false;

  constructor(socket: Connectable, onReady: () => void, onClosed: (reason: string) => void) {
    this.#socket = socket;
    this.#onReady = onReady;
    this.#onClosed = onClosed;
    socket.on('error', (error) => this.#break(error.message));
    socket.on('close', () => this.#break('EOF'));
    const greeting = settings({ [Setting.headerTableSize]: 0, [Setting.enablePush]: 0 });
    const wide = numberFrame(FrameType.windowUpdate, 0, LARGEST_WINDOW - DEFAULT_WINDOW);
    socket.write(Buffer.concat([PREFACE, greeting, wide]));
  }

  /** Takes what came on the socket, in pieces of any size; keeps parts of them. */
  readonly receive = (chunk: Buffer): void => {
    try {
      this.#read(chunk);
    } catch (error) {
      this.#break(`http2: ${error instanceof Error ? error.message : error}`);
    }
  };

  /** Sends a request. `fields` is an encoded header block of at most a frame. */
  open(fields: Buffer, body: Buffer, listener: StreamListener): OutgoingStream {
    let id = 0;
    const stream: Stream = {
      listener,
      window: this.#streamWindow,
      unsent: undefined,
      owed: 0,
      taken: (bytes) => {
        stream.owed += bytes;
        if (stream.owed < CREDIT || !this.#streams.has(id)) return;
        this.#socket.write(numberFrame(FrameType.windowUpdate, id, stream.owed));
        stream.owed = 0;
      },
      cancel: () => {
        this.#waiting.delete(begin);
        if (!this.#forget(id)) return;
        this.#socket.write(numberFrame(FrameType.rstStream, id, ErrorCode.cancel));
      },
    };
    const begin = () => {
      id = this.#nextId;
      this.#nextId += 2;
      this.#streams.set(id, stream);
      this.#send(id, stream, fields, body);
    };
    this.#socket.ref();
    if (this.#streams.size < this.#mostStreams) begin();
    else this.#waiting.set(begin, listener);
    return stream;
  }

  /** Breaks it with all its streams. */
  close(): void {
    this.#break(CLOSING.details, CLOSING);
  }

  #send(id: number, stream: Stream, fields: Buffer, body: Buffer): void {
    const fits = Math.min(this.#window, stream.window, this.#frameSize) >= body.length;
    const bytes = Buffer.allocUnsafe(FRAME_HEADER + fields.length + (fits ? FRAME_HEADER + body.length : 0));
    let at = writeFrameHeader(bytes, 0, fields.length, FrameType.headers, Flag.endHeaders, id);
    at += fields.copy(bytes, at);
    if (fits) {
      at = writeFrameHeader(bytes, at, body.length, FrameType.data, Flag.endStream, id);
      body.copy(bytes, at);
      this.#window -= body.length;
      stream.window -= body.length;
    } else stream.unsent = body;
    this.#socket.write(bytes);
    if (!fits) this.#sendMore(id, stream);
  }

  #sendMore(id: number, stream: Stream): void {
    while (stream.unsent !== undefined) {
      const size = Math.min(this.#window, stream.window, this.#frameSize, stream.unsent.length);
      if (size <= 0) return;
      const isLast = size === stream.unsent.length;
      const piece = stream.unsent.subarray(0, size);
      stream.unsent = isLast ? undefined : stream.unsent.subarray(size);
      this.#window -= size;
      stream.window -= size;
      this.#socket.write(frame(FrameType.data, isLast ? Flag.endStream : 0, id, piece));
    }
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#blocks.take(type, flags, id, payload)) return;
    if (type === FrameType.data) this.#data(flags, id, payload);
    else if (type === FrameType.rstStream) this.#reset(id, payload.readUInt32BE(0));
    else if (type === FrameType.settings) this.#settings(flags, payload);
    else if (type === FrameType.ping) this.#ping(flags, payload);
    else if (type === FrameType.goaway) this.#goaway(payload.readUInt32BE(0) & LARGEST_WINDOW);
    else if (type === FrameType.windowUpdate) this.#widen(id, payload.readUInt32BE(0) & LARGEST_WINDOW);
    else if (type === FrameType.pushPromise) throw new Error('a push, which was not allowed');
  }

  #ping(flags: number, payload: Buffer): void {
    if ((flags & Flag.ack) === 0) this.#socket.write(frame(FrameType.ping, Flag.ack, 0, payload));
  }

  #data(flags: number, id: number, payload: Buffer): void {
    this.#received += payload.length;
    if (this.#received >= CREDIT) {
      this.#socket.write(numberFrame(FrameType.windowUpdate, 0, this.#received));
      this.#received = 0;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    const bytes = unpadded(flags & Flag.padded, payload);
    stream.owed += payload.length - bytes.length;
    const isEnd = (flags & Flag.endStream) !== 0;
    if (isEnd) this.#forget(id);
    if (bytes.length > 0) stream.listener.data(bytes);
    if (isEnd) stream.listener.end();
  }

  #fields(id: number, isEnd: boolean, fields: Fields): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    if (isEnd) this.#forget(id);
    stream.listener.headers(fields);
    if (isEnd) stream.listener.end();
  }

  #reset(id: number, http2Code: number): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    this.#forget(id);
    stream.listener.cut(statusOfReset(http2Code), http2Code === REFUSED_STREAM);
  }

  #settings(flags: number, payload: Buffer): void {
    if ((flags & Flag.ack) !== 0) return;
    for (let at = 0; at + 6 <= payload.length; at += 6)
      this.#setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#socket.write(frame(FrameType.settings, Flag.ack, 0));
    if (this.#isReady) return;
    this.#isReady = true;
    this.#onReady();
  }

  #setting(id: number, value: number): void {
    if (id === Setting.maxConcurrentStreams) this.#mostStreams = value;
    if (id === Setting.maxFrameSize) this.#frameSize = value;
    if (id !== Setting.initialWindowSize) return;
    const wider = value - this.#streamWindow;
    this.#streamWindow = value;
    for (const [stream, open] of this.#streams) {
      open.window += wider;
      this.#sendMore(stream, open);
    }
  }

  #widen(id: number, bytes: number): void {
    if (id === 0) {
      this.#window += bytes;
      for (const [stream, open] of this.#streams) this.#sendMore(stream, open);
      return;
    }
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.window += bytes;
    this.#sendMore(id, stream);
  }

  /** No stream begins any more; those that the peer will not look at can be sent elsewhere. */
  #goaway(last: number): void {
    this.#refuseNew(SENT_AWAY);
    for (const [id, { listener }] of [...this.#streams]) {
      if (id <= last) continue;
      this.#forget(id);
      listener.cut(statusOfBreak(SENT_AWAY), true);
    }
    if (this.#streams.size === 0) this.#socket.end();
  }

  #refuseNew(reason: string): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#onClosed(reason);
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const listener of waiting) listener.cut(statusOfBreak(reason), true);
  }

  #break(reason: string, status = statusOfBreak(reason)): void {
    this.#refuseNew(reason);
    this.#socket.destroy();
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    for (const { listener } of streams) listener.cut(status, false);
  }

  /** False if there is no such stream under way. */
  #forget(id: number): boolean {
    if (!this.#streams.delete(id)) return false;
    const [next] = this.#waiting.keys();
    if (next !== undefined) {
      this.#waiting.delete(next);
      next();
    } else if (this.#streams.size === 0) {
      if (this.#isClosed) this.#socket.end();
      else this.#socket.unref();
    }
    return true;
  }
}
