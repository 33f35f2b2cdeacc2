import type { BinaryWriter } from '@bufbuild/protobuf/wire';

interface Codec<T> {
  encode(message: T, writer?: BinaryWriter): BinaryWriter;
}

/** Wire type 2, length-delimited. */
const DELIMITED = 2;

export function encode<T>(codec: Codec<T>, message: T): Buffer {
  const bytes = codec.encode(message).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Frames `parts`, which protobuf merges, as field 1 of a message. Joined frames are a repeated field 1. */
export function frame(...parts: readonly Uint8Array[]): Buffer {
  let size = 0;
  for (const part of parts) size += part.length;
  const out = Buffer.allocUnsafe(1 + varintSize(size) + size);
  out[0] = tag(1);
  let offset = writeVarint(out, 1, size);
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

export function unframe(framed: Buffer): Buffer {
  return framed.subarray(readVarint(framed, 1).end);
}

/** Renumbers fields for a message that shares all but the numbers (PodSandbox and its status); drops the others. */
export function renumber(message: Buffer, numbers: ReadonlyMap<number, number>): Buffer {
  // A field has two bytes or more, and its tag grows by one at most.
  const out = Buffer.allocUnsafe((message.length * 3) >> 1);
  let offset = 0;
  for (let start = 0; start < message.length; ) {
    const { value: given, end: content } = readVarint(message, start);
    const { value, end: next } = readVarint(message, content);
    const type = given & 7;
    // These messages have no other wire types than varint and length-delimited.
    const end = type === DELIMITED ? next + value : next;
    const number = numbers.get(given >>> 3);
    if (number !== undefined) {
      offset = writeVarint(out, offset, (number << 3) | type);
      offset += message.copy(out, offset, content, end);
    }
    start = end;
  }
  return out.subarray(0, offset);
}

/** A part of a message: frames of field 1, to be renumbered to `field` (below 16, so that the tag stays one byte). */
export interface Part {
  readonly field: number;
  readonly frames: readonly Buffer[];
}

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

/** Reads a varint; above 32 bits, only `end` is right. */
function readVarint(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let end = start;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[end++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end };
  }
}

/** Returns the end offset. */
function writeVarint(out: Buffer, start: number, value: number): number {
  let offset = start;
  for (let left = value; ; left >>>= 7) {
    out[offset++] = left < 0x80 ? left : (left & 0x7f) | 0x80;
    if (left < 0x80) return offset;
  }
}

function tag(field: number): number {
  return (field << 3) | DELIMITED;
}

function varintSize(value: number): number {
  let size = 1;
  for (let left = value; left >= 0x80; left >>>= 7) size++;
  return size;
}
