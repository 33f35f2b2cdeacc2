import { GrowingBuffer } from '../../base/input/growing-buffer.js';
import { LARGEST_MESSAGE } from './limits.js';

/** Bytes of a frame's head: length, stream, type, flags. */
export const HEAD = 10;

/** Other types are ignored: later versions may have them. */
export enum FrameType {
  Request = 1,
  Response = 2,
  Data = 3,
}

export interface Frame {
  readonly stream: number;
  /** A `FrameType`, or an unknown one. */
  readonly type: number;
  readonly flags: number;
  readonly payload: Buffer;
}

/** A frame that was too long: its payload was discarded. */
export interface OversizedFrame extends Omit<Frame, 'payload'> {
  readonly length: number;
}

export function encodeFrame({ stream, type, flags, payload }: Frame): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD + payload.length);
  bytes.writeUInt32BE(payload.length, 0);
  bytes.writeUInt32BE(stream, 4);
  bytes.writeUInt8(type, 8);
  bytes.writeUInt8(flags, 9);
  payload.copy(bytes, HEAD);
  return bytes;
}

export interface FrameHandlers {
  frame(frame: Frame): void;
  oversized(frame: OversizedFrame): void;
}

/** Holds at most one frame, and memory only for received bytes, not for the announced length. */
export class FrameReader {
  readonly #handlers: FrameHandlers;
  /** The beginning of a head or of a payload. */
  #begun: GrowingBuffer | undefined;
  #head: Buffer | undefined;
  /** Remaining bytes of a frame that is too long. */
  #skip = 0;

  constructor(handlers: FrameHandlers) {
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#skip > 0 ? this.#skipIn(rest) : this.#take(rest);
  }

  #skipIn(bytes: Buffer): Buffer {
    const skipped = Math.min(this.#skip, bytes.length);
    this.#skip -= skipped;
    return bytes.subarray(skipped);
  }

  #take(bytes: Buffer): Buffer {
    const wanted = this.#head?.readUInt32BE(0) ?? HEAD;
    const taken = bytes.subarray(0, wanted - (this.#begun?.length ?? 0));
    if (this.#begun === undefined && taken.length === wanted) this.#complete(taken);
    else {
      this.#begun ??= new GrowingBuffer();
      this.#begun.append(taken);
      if (this.#begun.length === wanted) {
        const whole = this.#begun.bytes();
        this.#begun = undefined;
        this.#complete(whole);
      }
    }
    return bytes.subarray(taken.length);
  }

  #complete(bytes: Buffer): void {
    if (this.#head !== undefined) {
      const frame = { ...describe(this.#head), payload: bytes };
      this.#head = undefined;
      this.#handlers.frame(frame);
      return;
    }
    const length = bytes.readUInt32BE(0);
    if (length > LARGEST_MESSAGE) {
      this.#skip = length;
      this.#handlers.oversized({ ...describe(bytes), length });
    } else if (length === 0) this.#handlers.frame({ ...describe(bytes), payload: Buffer.alloc(0) });
    else this.#head = bytes;
  }
}

const describe = (head: Buffer): Omit<Frame, 'payload'> => ({
  stream: head.readUInt32BE(4),
  type: head.readUInt8(8),
  flags: head.readUInt8(9),
});
