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
  const out = Buffer.allocUnsafe(1 + varintSize(size) + size);
  out[0] = tag(1);
  let offset = writeVarint(out, 1, size);
  for (const part of parts) {
    out.set(part, offset);
    offset += part.length;
  }
  return out;
}

/** The message in a frame. */
export function unframe(framed: Buffer): Buffer {
  return framed.subarray(readVarint(framed, 1).end);
}

/**
 * A message's fields under the numbers that another message has for them; those without one are left out. For what
 * two messages share in all but the numbers (PodSandbox and PodSandboxStatus).
 */
export function renumber(message: Buffer, numbers: ReadonlyMap<number, number>): Buffer {
  // A field has two bytes or more, and its tag grows by one at most.
  const out = Buffer.allocUnsafe((message.length * 3) >> 1);
  let offset = 0;
  for (let start = 0; start < message.length; ) {
    const { value: given, end: content } = readVarint(message, start);
    const { value, end: next } = readVarint(message, content);
    const type = given & 7;
    // Our messages have no other wire types than varints and delimited ones.
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

/** A varint and where it ends; of one above 32 bits, only the end is right. */
function readVarint(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let end = start;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[end++] ?? 0;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { value, end };
  }
}

/** Returns where it ends. */
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
