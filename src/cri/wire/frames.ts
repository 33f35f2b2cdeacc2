/** What an HTTP/2 client begins with (RFC 9113, 3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** RFC 9113, 6. */
export const FrameType = {
  data: 0,
  headers: 1,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

/** Flags of frames (RFC 9113, 6): END_STREAM and ACK are the same bit, in frames of different types. */
export const Flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

/** RFC 9113, 7. */
export const ErrorCode = { protocolError: 1, flowControlError: 3, frameSizeError: 6, cancel: 8 } as const;

/** RFC 9113, 6.5.2. */
export const Setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const;

/** Bytes: length 3, type 1, flags 1, stream 4 (RFC 9113, 4.1). */
export const FRAME_HEADER = 9;

/** The largest payload that a peer which was told nothing else may send, in bytes. */
export const LARGEST_FRAME = 16_384;

/** Writes a frame's header into `target` and returns the offset behind it. */
export function writeFrameHeader(
  target: Buffer,
  offset: number,
  length: number,
  type: number,
  flags: number,
  stream: number,
): number {
  target.writeUIntBE(length, offset, 3);
  target[offset + 3] = type;
  target[offset + 4] = flags;
  return target.writeUInt32BE(stream, offset + 5);
}

/** A whole HTTP/2 frame (RFC 9113, 4.1); flags of its type as bits, stream 0 for the connection. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_HEADER + payload.length);
  payload.copy(bytes, writeFrameHeader(bytes, 0, payload.length, type, flags, stream));
  return bytes;
}

/** A SETTINGS frame with values by `Setting` (RFC 9113, 6.5). */
export function settings(values: Readonly<Record<number, number>>): Buffer {
  const entries = Object.entries(values);
  const payload = Buffer.alloc(6 * entries.length);
  entries.forEach(([id, value], index) => {
    payload.writeUInt16BE(Number(id), 6 * index);
    payload.writeUInt32BE(value, 6 * index + 2);
  });
  return frame(FrameType.settings, 0, 0, payload);
}

/** A payload of one number: WINDOW_UPDATE and RST_STREAM. */
export function numberFrame(type: number, stream: number, value: number): Buffer {
  const payload = Buffer.allocUnsafe(4);
  payload.writeUInt32BE(value);
  return frame(type, 0, stream, payload);
}

/** Told of each whole frame; the payload is without its header, padding is left in. */
export type OnFrame = (type: number, flags: number, stream: number, payload: Buffer) => void;

/** Takes bytes as they come and calls back for each whole frame; throws on one that is too large. */
export function frameReader(onFrame: OnFrame): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (bytes.length - at >= FRAME_HEADER) {
      const length = bytes.readUIntBE(at, 3);
      if (length > LARGEST_FRAME) throw new Error(`a frame of ${length} bytes`);
      const end = at + FRAME_HEADER + length;
      if (end > bytes.length) break;
      const payload = bytes.subarray(at + FRAME_HEADER, end);
      const [type = 0, flags = 0] = [bytes[at + 3], bytes[at + 4]];
      const stream = bytes.readUInt32BE(at + 5) & 0x7fff_ffff;
      at = end;
      onFrame(type, flags, stream, payload);
    }
    rest = bytes.subarray(at);
  };
}

/** The payload of DATA or HEADERS without padding and priority (RFC 9113, 6.1 and 6.2). */
export function unpadded(flags: number, payload: Buffer): Buffer {
  if ((flags & (Flag.padded | Flag.priority)) === 0) return payload;
  const padding = flags & Flag.padded ? (payload[0] ?? 0) : 0;
  const start = (flags & Flag.padded ? 1 : 0) + (flags & Flag.priority ? 5 : 0);
  if (start + padding > payload.length) throw new Error('a frame with more padding than bytes');
  return payload.subarray(start, payload.length - padding);
}
