import {
  type DataFrame,
  FLAG_FIN,
  FrameType,
  MAX_PAYLOAD,
  type SentPlainFrame,
  SpdyError,
  type SynReplyFrame,
  VERSION,
} from './frames.js';

/** The 8 bytes before the payload of a DATA frame. */
export function encodeDataHead({ streamId, fin, data }: DataFrame): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(streamId, 0);
  head.writeUInt8(fin ? FLAG_FIN : 0, 4);
  head.writeUIntBE(checkLength(data.length), 5, 3);
  return head;
}

/** `block` has the frame's headers, compressed. */
export const encodeSynReply = ({ streamId, fin }: SynReplyFrame, block: Buffer): Buffer =>
  controlFrame(FrameType.synReply, fin ? FLAG_FIN : 0, words(streamId), block);

/** These need no compression context, so they may be sent in any order between the others. */
export function encodePlainFrame(frame: SentPlainFrame): Buffer {
  switch (frame.kind) {
    case 'rst-stream':
      return controlFrame(FrameType.rstStream, 0, words(frame.streamId, frame.status));
    case 'ping':
      return controlFrame(FrameType.ping, 0, words(frame.id));
    case 'goaway':
      return controlFrame(FrameType.goaway, 0, words(frame.lastStreamId, frame.status));
  }
}

/** A control frame of this type (SPDY/3 §2.2.1). */
export function controlFrame(type: number, flags: number, ...payload: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8000 | VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(checkLength(payload.reduce((sum, part) => sum + part.length, 0)), 5, 3);
  return Buffer.concat([head, ...payload]);
}

/** 32-bit numbers, big-endian. */
export function words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeUInt32BE(value, index * 4);
  });
  return bytes;
}

function checkLength(length: number): number {
  if (length > MAX_PAYLOAD) throw new SpdyError(`frame of ${length} bytes; it has up to ${MAX_PAYLOAD}`);
  return length;
}
