import type { Duplex } from 'node:stream';
import { Flag, FRAME_HEADER, FrameType, writeFrameHeader } from '../../cri/wire/frames.js';

export const DEFAULT_WINDOW = 65_535;

/** Windows are given back in pieces of this many bytes. */
export const CREDIT = DEFAULT_WINDOW >> 1;

/** Data up to this size goes to the socket in one piece with its headers and trailers; larger data is not copied. */
const SMALL = 8 * 1024;

/** Bytes that may wait in the socket for a client that does not read; more waits here, where it can be dropped. */
const MOST_IN_SOCKET = 1024 * 1024;

const EMPTY: Buffer = Buffer.alloc(0);

/** What is sent on one stream, in order: frames of headers, data, frames of trailers. */
export interface Parcel {
  readonly head?: Buffer | undefined;
  readonly data: readonly Buffer[];
  /** Ends the stream. */
  readonly tail?: Buffer | undefined;
}

/** One stream's way out. */
export interface Lane {
  readonly id: number;
  /** Bytes of data that the peer takes. */
  window: number;
  /** Data that waits. */
  queue: Buffer[];
  /** What ends the stream, once the queue is empty. */
  tail: Buffer | undefined;
  /** Called whenever all there was is sent, with whether that was the end. */
  readonly onEmpty: (isEnd: boolean) => void;
}

/** Sends the data of one connection's streams as far as its peer takes it (RFC 9113, 5.2). */
export class Outflow {
  readonly #socket: Duplex;
  /** Those that have something to send. */
  readonly #waiting = new Set<Lane>();
  window = DEFAULT_WINDOW;
  frameSize = 16_384;

  constructor(socket: Duplex) {
    this.#socket = socket;
    socket.on('drain', () => this.flush());
  }

  /** False if some of it has to wait. */
  send(lane: Lane, { head = EMPTY, data, tail }: Parcel): boolean {
    const size = data.reduce((sum, { length }) => sum + length, 0);
    const room = Math.min(this.window, lane.window, this.frameSize, SMALL);
    if (size <= room && lane.queue.length === 0 && !this.#isFull) {
      this.window -= size;
      lane.window -= size;
      this.#socket.write(inOnePiece(lane.id, size, head, data, tail));
      lane.onEmpty(tail !== undefined);
      return true;
    }
    if (head.length > 0) this.#socket.write(head);
    lane.queue.push(...data);
    lane.tail = tail;
    this.#waiting.add(lane);
    this.#flush(lane);
    return lane.queue.length === 0;
  }

  /** Nothing more is sent on it. */
  drop(lane: Lane): void {
    lane.queue = [];
    lane.tail = undefined;
    this.#waiting.delete(lane);
  }

  /** Goes on after a window was opened or the socket drained. */
  flush(): void {
    for (const lane of [...this.#waiting]) this.#flush(lane);
  }

  get #isFull(): boolean {
    return this.#socket.writableLength > MOST_IN_SOCKET;
  }

  #flush(lane: Lane): void {
    this.#socket.cork();
    while (lane.queue.length > 0 && this.#sendFrame(lane));
    if (lane.queue.length === 0 && this.#waiting.delete(lane)) {
      const { tail } = lane;
      if (tail !== undefined) this.#socket.write(tail);
      lane.onEmpty(tail !== undefined);
    }
    this.#socket.uncork();
  }

  #sendFrame(lane: Lane): boolean {
    const [first = EMPTY] = lane.queue;
    const size = Math.min(this.window, lane.window, this.frameSize, first.length);
    if ((size <= 0 && first.length > 0) || this.#isFull) return false;
    this.window -= size;
    lane.window -= size;
    if (size === first.length) lane.queue.shift();
    else lane.queue[0] = first.subarray(size);
    const header = Buffer.allocUnsafe(FRAME_HEADER);
    writeFrameHeader(header, 0, size, FrameType.data, 0, lane.id);
    this.#socket.write(header);
    this.#socket.write(first.subarray(0, size));
    return true;
  }
}

/** Headers, one frame of data and trailers. */
function inOnePiece(
  id: number,
  size: number,
  head: Buffer,
  data: readonly Buffer[],
  tail: Buffer = EMPTY,
): Buffer {
  const framed = data.length === 0 ? 0 : FRAME_HEADER + size;
  const bytes = Buffer.allocUnsafe(head.length + framed + tail.length);
  let at = head.copy(bytes, 0);
  if (framed > 0) at = writeFrameHeader(bytes, at, size, FrameType.data, 0, id);
  for (const piece of data) at += piece.copy(bytes, at);
  tail.copy(bytes, at);
  return bytes;
}

/** A header block as HEADERS, and CONTINUATION where it is longer than a frame (RFC 9113, 6.2 and 6.10). */
export function headerFrames(id: number, block: Buffer, isEnd: boolean, frameSize: number): Buffer {
  const count = Math.max(1, Math.ceil(block.length / frameSize));
  const bytes = Buffer.allocUnsafe(block.length + count * FRAME_HEADER);
  let at = 0;
  for (let index = 0; index < count; index++) {
    const part = block.subarray(index * frameSize, (index + 1) * frameSize);
    const flags = (index === 0 && isEnd ? Flag.endStream : 0) | (index === count - 1 ? Flag.endHeaders : 0);
    const type = index === 0 ? FrameType.headers : FrameType.continuation;
    at = writeFrameHeader(bytes, at, part.length, type, flags, id);
    at += part.copy(bytes, at);
  }
  return bytes;
}
