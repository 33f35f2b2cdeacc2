import { BinaryWriter } from '@bufbuild/protobuf/wire';

interface Codec<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
}

/** Wire type 2, length-delimited. */
const DELIMITED = 2;

/** The message as field 1 of another one. Such frames, concatenated, are a reply with a repeated field 1. */
export function frame<T>(codec: Codec<T>, message: T): Buffer {
  const writer = new BinaryWriter();
  codec.encode(message, writer.uint32(tag(1)).fork()).join();
  return asBuffer(writer.finish());
}

/** A message's bytes without a copy. */
export function encode<T>(codec: Codec<T>, message: T): Buffer {
  return asBuffer(codec.encode(message).finish());
}

/** A part of a message: frames of field 1 that are to become `field` (below 16, so that the tag stays one byte). */
export interface Part {
  readonly field: number;
  readonly frames: readonly Buffer[];
}

/** Appends framed messages to an encoded one. */
export function append(head: Buffer, parts: readonly Part[]): Buffer {
  let size = head.length;
  for (const part of parts) for (const framed of part.frames) size += framed.length;
  const out = Buffer.allocUnsafeSlow(size);
  let offset = head.copy(out);
  for (const { field, frames } of parts) {
    for (const framed of frames) {
      framed.copy(out, offset);
      out[offset] = tag(field);
      offset += framed.length;
    }
  }
  return out;
}

function tag(field: number): number {
  return (field << 3) | DELIMITED;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
