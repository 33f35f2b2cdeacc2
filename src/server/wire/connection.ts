import type { Duplex } from 'node:stream';
import {
  Flag,
  FrameType,
  frame,
  frameReader,
  numberFrame,
  PREFACE,
  Setting,
  settings,
  unpadded,
} from '../../cri/wire/frames.js';
import { HeaderBlocks } from '../../cri/wire/header-blocks.js';
import { FieldDecoder, type Fields, LARGEST_FIELDS } from '../../cri/wire/hpack.js';
import { CREDIT, DEFAULT_WINDOW, Outflow } from './outflow.js';
import { NO_ERROR, ServerStream, type StreamListener } from './stream.js';

/** Settings below which a client may not go, and above which not (RFC 9113, 6.5.2). */
const FRAME_SIZES = { least: 16_384, most: 2 ** 24 - 1 } as const;
const LARGEST_WINDOW = 2 ** 31 - 1;

/** The table that a client may keep here, in bytes: HTTP/2's default. */
const HEADER_TABLE = 4096;

/** RFC 9113, 7. */
const PROTOCOL_ERROR = 1;

/**
 * A server's side of one HTTP/2 connection (RFC 9113), as much of it as gRPC needs: no push, no priorities. `accept`
 * is called for each new stream. What no client may send ends the connection with GOAWAY; other frames are ignored.
 */
export class Http2ServerConnection {
  readonly #socket: Duplex;
  readonly #accept: (stream: ServerStream, fields: Fields) => StreamListener;
  readonly #streams = new Map<number, ServerStream>();
  readonly #outflow: Outflow;
  readonly #blocks: HeaderBlocks;
  #streamWindow = DEFAULT_WINDOW;
  /** The newest stream that was looked at. */
  #lastId = 0;
  #received = 0;
  #hasGreeted = false;
  #isLeaving = false;
  #isClosed = false;

  /** `socket` begins with the preface, which is known to be right. */
  constructor(socket: Duplex, accept: (stream: ServerStream, fields: Fields) => StreamListener) {
    this.#socket = socket;
    this.#accept = accept;
    this.#outflow = new Outflow(socket);
    const decoder = new FieldDecoder(HEADER_TABLE);
    this.#blocks = new HeaderBlocks(
      (block) => decoder.decode(block),
      (id, isEnd, fields) => this.#fields(id, isEnd, fields),
    );
    const read = frameReader((type, flags, id, payload) => this.#frame(type, flags, id, payload));
    let prefaced = 0;
    socket.on('data', (chunk: Buffer) => {
      const skipped = Math.min(PREFACE.length - prefaced, chunk.length);
      prefaced += skipped;
      this.#read(read, skipped === 0 ? chunk : chunk.subarray(skipped));
    });
    socket.on('error', () => this.#cut());
    socket.on('end', () => socket.end());
    socket.on('close', () => this.#cut());
    const greeting = settings({ [Setting.maxHeaderListSize]: LARGEST_FIELDS });
    const wide = numberFrame(FrameType.windowUpdate, 0, LARGEST_WINDOW - DEFAULT_WINDOW);
    this.#write(Buffer.concat([greeting, wide]));
    socket.resume();
  }

  /** Takes no new streams; closes once those under way have ended. */
  leave(): void {
    if (this.#isLeaving) return;
    this.#sayGoodbye(NO_ERROR);
    this.#closeIfDone();
  }

  /** What is answered to the frames of one piece leaves in one piece. */
  #read(read: (chunk: Buffer) => void, chunk: Buffer): void {
    if (this.#isClosed) return;
    this.#socket.cork();
    try {
      read(chunk);
    } catch {
      this.#sayGoodbye(PROTOCOL_ERROR);
      this.#cut();
      this.#socket.end(() => this.#socket.destroy());
    }
    this.#socket.uncork();
  }

  #write(bytes: Buffer): void {
    if (!this.#isClosed) this.#socket.write(bytes);
  }

  #sayGoodbye(code: number): void {
    this.#isLeaving = true;
    const payload = Buffer.alloc(8);
    payload.writeUInt32BE(this.#lastId);
    payload.writeUInt32BE(code, 4);
    this.#write(frame(FrameType.goaway, 0, 0, payload));
  }

  /** Nothing more is sent or heard. */
  #cut(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const stream of [...this.#streams.values()]) stream.cut();
  }

  #frame(type: number, flags: number, id: number, payload: Buffer): void {
    if (this.#isClosed) return;
    if (!this.#hasGreeted && type !== FrameType.settings) throw new Error('no SETTINGS at the beginning');
    if (this.#blocks.take(type, flags, id, payload)) return;
    if (type === FrameType.data) this.#data(flags, id, payload);
    else if (type === FrameType.rstStream) this.#reset(id);
    else if (type === FrameType.settings) this.#settings(flags, payload);
    else if (type === FrameType.ping) this.#ping(flags, payload);
    else if (type === FrameType.windowUpdate) this.#widen(id, payload.readUInt32BE(0) & LARGEST_WINDOW);
    else if (type === FrameType.pushPromise) throw new Error('a push from a client');
  }

  #fields(id: number, isEnd: boolean, fields: Fields): void {
    const known = this.#streams.get(id);
    if (known !== undefined) {
      if (!isEnd) throw new Error('headers amid a stream');
      known.requestEnds();
      return;
    }
    if ((id & 1) === 0) throw new Error(`stream ${id}, which no client begins`);
    // Trailers of a stream that is over, or a stream that was begun before GOAWAY arrived.
    if (id <= this.#lastId || this.#isLeaving) return;
    this.#lastId = id;
    const stream = new ServerStream(id, this.#streamWindow, this.#outflow, {
      write: (bytes) => this.#write(bytes),
      over: () => {
        this.#streams.delete(id);
        this.#closeIfDone();
      },
    });
    this.#streams.set(id, stream);
    stream.listener = this.#accept(stream, fields);
    if (isEnd) stream.requestEnds();
  }

  #closeIfDone(): void {
    if (this.#isLeaving && this.#streams.size === 0) this.#socket.end();
  }

  #data(flags: number, id: number, payload: Buffer): void {
    if (id > this.#lastId && !this.#isLeaving) throw new Error('data of no stream');
    this.#received += payload.length;
    if (this.#received >= CREDIT) {
      this.#write(numberFrame(FrameType.windowUpdate, 0, this.#received));
      this.#received = 0;
    }
    this.#streams.get(id)?.takes(payload.length, unpadded(flags & Flag.padded, payload));
    if ((flags & Flag.endStream) !== 0) this.#streams.get(id)?.requestEnds();
  }

  #reset(id: number): void {
    if (id === 0 || (id > this.#lastId && !this.#isLeaving)) throw new Error('a reset of no stream');
    this.#streams.get(id)?.cut();
  }

  #ping(flags: number, payload: Buffer): void {
    if (payload.length !== 8) throw new Error(`a ping of ${payload.length} bytes`);
    if ((flags & Flag.ack) === 0) this.#write(frame(FrameType.ping, Flag.ack, 0, payload));
  }

  #settings(flags: number, payload: Buffer): void {
    if (payload.length % 6 !== 0) throw new Error(`settings of ${payload.length} bytes`);
    this.#hasGreeted = true;
    if ((flags & Flag.ack) !== 0) return;
    for (let at = 0; at < payload.length; at += 6)
      this.#setting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#write(frame(FrameType.settings, Flag.ack, 0));
    this.#outflow.flush();
  }

  #setting(id: number, value: number): void {
    if (id === Setting.maxFrameSize) {
      if (value < FRAME_SIZES.least || value > FRAME_SIZES.most) throw new Error(`frames of ${value} bytes`);
      this.#outflow.frameSize = value;
    }
    if (id !== Setting.initialWindowSize) return;
    if (value > LARGEST_WINDOW) throw new Error(`a window of ${value} bytes`);
    for (const { lane } of this.#streams.values()) lane.window += value - this.#streamWindow;
    this.#streamWindow = value;
  }

  #widen(id: number, bytes: number): void {
    const target = id === 0 ? this.#outflow : this.#streams.get(id)?.lane;
    if (target === undefined) return;
    target.window += bytes;
    if (bytes === 0 || target.window > LARGEST_WINDOW) throw new Error(`a window of ${target.window} bytes`);
    this.#outflow.flush();
  }
}
