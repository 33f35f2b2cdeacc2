import { createGunzip, createInflate } from 'node:zlib';
import type { ServerInterceptingCall, ServerInterceptor } from '@grpc/grpc-js';
import { GrowingBuffer } from '../../base/input/growing-buffer.js';
import { LARGEST_MESSAGE } from '../../cri/limits.js';
import { type CallStatus, Code } from '../../cri/status-code.js';
import { replaceReading } from './grpc-js-internals.js';
import type { InFlight } from './in-flight.js';

/** The compressed flag and the length of a message (gRPC over HTTP/2, "Length-Prefixed-Message"). */
const PREFIX = 5;
/** Bytes that a decompressor holds in addition to its output. */
const DECOMPRESSOR = 64 * 1024;

/**
 * Reads requests so that they hold no more memory than `inFlight` counts. By default, grpc-js keeps each piece of a
 * message as an object until the message is complete, keeps all messages of a call, and does not limit the size of
 * decompressed messages.
 */
export function readSparingly(inFlight: InFlight): ServerInterceptor {
  const inTurn = queue();
  return ({ requestStream }, call) => {
    replaceReading(call, (stream, read) => ({
      // One more message than allowed is passed on: grpc-js returns the error for it.
      decoder: new RequestDecoder(requestStream ? Number.POSITIVE_INFINITY : 2),
      decompressMessage: (message, encoding) =>
        encoding === 'gzip' || encoding === 'deflate'
          ? inTurn(() => decompress(message, encoding, (bytes) => inFlight.hold(stream, bytes)))
          : read(message, encoding),
    }));
    return call as ServerInterceptingCall;
  };
}

/** Runs tasks one after the other, so that their garbage doesn't add up. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
}

/** Divides the bytes of a call into messages with their prefixes; drops those after the first `most`. */
export class RequestDecoder {
  #left: number;
  #message = new GrowingBuffer();

  constructor(most: number) {
    this.#left = most;
  }

  /** Returns the messages that these bytes complete. Throws for a message that is too large. */
  write(data: Buffer): Buffer[] {
    const messages: Buffer[] = [];
    let rest = data;
    while (rest.length > 0 && this.#left > 0) {
      const missing = this.#missing(rest);
      this.#message.append(rest.subarray(0, missing));
      rest = rest.subarray(missing);
      if (this.#missing(rest) > 0) continue;
      messages.push(this.#message.bytes());
      this.#message = new GrowingBuffer();
      this.#left--;
    }
    return messages;
  }

  /** Bytes that complete the message, or its prefix while its length is unknown. */
  #missing(next: Buffer): number {
    const { length } = this.#message;
    if (length === 0 && next.length >= PREFIX) return PREFIX + lengthOf(next);
    if (length < PREFIX) return PREFIX - length;
    return PREFIX + lengthOf(this.#message.bytes()) - length;
  }
}

function lengthOf(message: Buffer): number {
  const length = message.readUInt32BE(1);
  if (length > LARGEST_MESSAGE)
    throw new Error(`Received message larger than max (${length} vs ${LARGEST_MESSAGE})`);
  return length;
}

/** Rejects with a gRPC status. `hold` counts bytes as they arrive; after false, no caller waits for the message. */
async function decompress(
  message: Buffer,
  encoding: 'gzip' | 'deflate',
  hold: (bytes: number) => boolean,
): Promise<Buffer> {
  if (!hold(DECOMPRESSOR)) throw ABANDONED;
  const source = encoding === 'gzip' ? createGunzip() : createInflate();
  source.end(message.subarray(PREFIX));
  // zlib returns pieces of equal sizes: only the last one is smaller.
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    for await (const piece of source as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > LARGEST_MESSAGE) throw TOO_LARGE;
      if (!hold(piece.length)) throw ABANDONED;
      pieces.push(piece);
    }
  } catch (error) {
    throw error instanceof Error ? { code: Code.INTERNAL, details: 'Failed to decompress message' } : error;
  }
  return Buffer.concat(pieces, length);
}

const TOO_LARGE: CallStatus = {
  code: Code.RESOURCE_EXHAUSTED,
  details: `Received message that decompresses to a size larger than ${LARGEST_MESSAGE}`,
};
/** The call has ended, so no client reads this. */
const ABANDONED: CallStatus = { code: Code.CANCELLED, details: 'the call is over' };
