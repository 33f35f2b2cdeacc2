import type { BinaryWriter } from '@bufbuild/protobuf/wire';

interface Codec<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
}

/** Wire type 2, length-delimited. */
const DELIMITED = 2;

/** A message's bytes without a copy. */
export function encode<T>(codec: Codec<T>, message: T): Buffer {
  const bytes = codec.encode(message).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * A message as field 1 of another one, given in parts that make it up (protobuf joins the fields of parts). Such
 * frames, concatenated, are a reply with a repeated field 1.
 */
export function frame(...parts: readonly Uint8Array[]): Buffer {
  let size = 0;
  for (const part of parts) size += part.length;
  const out = Buffer.allocUnsafeSlow(1 + varintSize(size) + size);
  out[0] = tag(1);
  let offset = 1;
  for (let left = size; ; left >>>= 7) {
    out[offset++] = left < 0x80 ? left : (left & 0x7f) | 0x80;
    if (left < 0x80) break;
  }
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
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

function varintSize(value: number): number {
  let size = 1;
  for (let left = value; left >= 0x80; left >>>= 7) size++;
  return size;
}
