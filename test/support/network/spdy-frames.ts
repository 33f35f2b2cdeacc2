import {
  controlFrame,
  encodePlainFrame as encodeServerFrame,
  encodeSynReply,
  words,
} from '../../../src/cri/spdy/encode.js';
import {
  FLAG_CLEAR_SETTINGS,
  FLAG_FIN,
  FLAG_UNIDIRECTIONAL,
  FrameType,
  type HeaderFrame,
  type PlainFrame,
} from '../../../src/cri/spdy/frames.js';

/** Any frame with headers, even one that only clients send. `block` holds the compressed headers. */
export function encodeHeaderFrame(frame: HeaderFrame, block: Buffer): Buffer {
  const flags = frame.fin ? FLAG_FIN : 0;
  switch (frame.kind) {
    case 'syn-stream': {
      const start = Buffer.alloc(10);
      start.writeUInt32BE(frame.streamId, 0);
      start.writeUInt32BE(frame.associatedId, 4);
      start.writeUInt8(frame.priority << 5, 8);
      const unidirectional = frame.unidirectional ? FLAG_UNIDIRECTIONAL : 0;
      return controlFrame(FrameType.synStream, flags | unidirectional, start, block);
    }
    case 'syn-reply':
      return encodeSynReply(frame, block);
    case 'headers':
      return controlFrame(FrameType.headers, flags, words(frame.streamId), block);
  }
}

/** Any frame without headers, even one that only clients send. */
export function encodePlainFrame(frame: PlainFrame): Buffer {
  switch (frame.kind) {
    case 'settings':
      return controlFrame(
        FrameType.settings,
        frame.clear ? FLAG_CLEAR_SETTINGS : 0,
        words(frame.settings.length),
        ...frame.settings.map(({ id, flags, value }) => words(flags * 2 ** 24 + id, value)),
      );
    case 'window-update':
      return controlFrame(FrameType.windowUpdate, 0, words(frame.streamId, frame.delta));
    default:
      return encodeServerFrame(frame);
  }
}
