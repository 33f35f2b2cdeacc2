import { expect, test } from 'vitest';
import fc from '../../../test/support/properties.js';
import { encodeFrame, type Frame, FrameReader, HEAD, type OversizedFrame } from './frame.js';
import { LARGEST_MESSAGE } from './limits.js';
import { decodeRequest, decodeResponse, encodeRequest, encodeResponse } from './messages.js';

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((array) => Buffer.from(array));
const uint32 = fc.integer({ min: 0, max: 0xffff_ffff });
const byte = fc.integer({ min: 0, max: 255 });
const frames = fc.array(fc.record({ stream: uint32, type: byte, flags: byte, payload: bytes(300) }));
const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });

function read(chunks: Iterable<Buffer>): { frames: Frame[]; oversized: OversizedFrame[] } {
  const found = { frames: [] as Frame[], oversized: [] as OversizedFrame[] };
  const reader = new FrameReader({
    frame: (frame) => found.frames.push(frame),
    oversized: (frame) => found.oversized.push(frame),
  });
  for (const chunk of chunks) reader.push(chunk);
  return found;
}

function* cut(whole: Buffer, sizes: readonly number[]): Iterable<Buffer> {
  let turn = 0;
  for (let at = 0; at < whole.length; ) {
    const size = sizes[turn++ % sizes.length] ?? 1;
    yield whole.subarray(at, at + size);
    at += size;
  }
}

test('frames are read as they were written, however the bytes are cut', () => {
  fc.assert(
    fc.property(frames, pieces, (given, sizes) => {
      const whole = Buffer.concat(given.map(encodeFrame));
      expect(read(cut(whole, sizes)).frames).toEqual(given);
    }),
  );
});

test('a frame that is too long is skipped, and the next one is read', () => {
  const next = { stream: 3, type: 1, flags: 0, payload: Buffer.from('next') };
  const head = Buffer.alloc(HEAD);
  head.writeUInt32BE(LARGEST_MESSAGE + 1, 0);
  head.writeUInt32BE(1, 4);
  head.writeUInt8(1, 8);
  const found = read(
    cut(Buffer.concat([head, Buffer.alloc(LARGEST_MESSAGE + 1), encodeFrame(next)]), [65_536]),
  );
  expect(found).toEqual({
    frames: [next],
    oversized: [{ stream: 1, type: 1, flags: 0, length: LARGEST_MESSAGE + 1 }],
  });
});

test('the longest message comes through in single bytes without a copy for each', () => {
  const payload = Buffer.alloc(200_000, 7);
  const whole = encodeFrame({ stream: 1, type: 2, flags: 0, payload });
  expect(read(cut(whole, [1])).frames[0]?.payload.equals(payload)).toBe(true);
});

test('requests and responses are decoded as they were encoded', () => {
  const text = fc.string({ unit: 'grapheme' });
  const request = fc.record({
    service: text,
    method: text,
    payload: bytes(100),
    timeout: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    metadata: fc.array(fc.tuple(text, text)),
  });
  const status = fc.option(fc.record({ code: fc.integer(), message: text }), { nil: undefined });
  const response = fc.record({ status, payload: bytes(100) });
  fc.assert(
    fc.property(request, response, (one, other) => {
      expect(decodeRequest(encodeRequest(one))).toEqual(one);
      expect(decodeResponse(encodeResponse(other))).toEqual(other);
    }),
  );
});

test('bytes that are no message are an error, not a crash', () => {
  const either = (decode: (given: Buffer) => unknown) => (given: Buffer) => {
    try {
      decode(given);
    } catch (error) {
      expect(error).toBeInstanceOf(Error);
    }
  };
  fc.assert(fc.property(bytes(60), either(decodeRequest)));
  fc.assert(fc.property(bytes(60), either(decodeResponse)));
  expect(() => decodeRequest(Buffer.from([0x0a, 0xff]))).toThrow();
});
