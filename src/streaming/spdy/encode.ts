import {
  type DataFrame,
  FLAG_CLEAR_SETTINGS,
  FLAG_FIN,
  FLAG_UNIDIRECTIONAL,
  FrameType,
  type HeaderFrame,
  MAX_PAYLOAD,
  type PlainFrame,
  SpdyError,
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

/** `block` holds the frame's headers, compressed. */
export function encodeHeaderFrame(frame: HeaderFrame, block: Buffer): Buffer {
  const flags = frame.fin ? FLAG_FIN : 0;
  switch (frame.kind) {
    case 'syn-stream': {
      const start = Buffer.alloc(10);
      start.writeUInt32BE(frame.streamId, 0);
      start.writeUInt32BE(frame.associatedId, 4);
      start.writeUInt8(frame.priority << 5, 8);
      const unidirectional = frame.unidirectional ? FLAG_UNIDIRECTIONAL : 0;
      return control(FrameType.synStream, flags | unidirectional, start, block);
    }
    case 'syn-reply':
      return control(FrameType.synReply, flags, words(frame.streamId), block);
    case 'headers':
      return control(FrameType.headers, flags, words(frame.streamId), block);
  }
}

/** These need no compression context, so they may be sent in any order between the others. */
export function encodePlainFrame(frame: PlainFrame): Buffer {
  switch (frame.kind) {
    case 'rst-stream':
      return control(FrameType.rstStream, 0, words(frame.streamId, frame.status));
    case 'settings':
      return control(
        FrameType.settings,
        frame.clear ? FLAG_CLEAR_SETTINGS : 0,
        words(frame.settings.length),
        ...frame.settings.map(({ id, flags, value }) => words(flags * 2 ** 24 + id, value)),
      );
    case 'ping':
      return control(FrameType.ping, 0, words(frame.id));
    case 'goaway':
      return control(FrameType.goaway, 0, words(frame.lastStreamId, frame.status));
    case 'window-update':
      return control(FrameType.windowUpdate, 0, words(frame.streamId, frame.delta));
  }
}

function control(type: number, flags: number, ...payload: Buffer[]): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8000 | VERSION, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt8(flags, 4);
  head.writeUIntBE(checkLength(payload.reduce((sum, part) => sum + part.length, 0)), 5, 3);
  return Buffer.concat([head, ...payload]);
}

function words(...values: number[]): Buffer {
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
