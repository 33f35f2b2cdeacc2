import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeHeaderFrame, encodePlainFrame } from '../../../test/support/network/spdy-frames.js';
import fc from '../../../test/support/properties.js';
import { decodeFrames } from './decode.js';
import { DICTIONARY } from './dictionary.js';
import { encodeDataHead } from './encode.js';
import type { Frame } from './frames.js';
import { createHeaderEncoder } from './header-block.js';

const id = fc.integer({ min: 1, max: 0x7fff_ffff });
const word = fc.integer({ min: 0, max: 0xffff_ffff });
const headers = fc
  .dictionary(fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/), fc.string({ maxLength: 60 }), { maxKeys: 6 })
  .map((object) => new Map(Object.entries(object)));

const frame: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({
    kind: fc.constant('syn-stream' as const),
    streamId: id,
    associatedId: fc.integer({ min: 0, max: 0x7fff_ffff }),
    priority: fc.integer({ min: 0, max: 7 }),
    fin: fc.boolean(),
    unidirectional: fc.boolean(),
    headers,
  }),
  fc.record({
    kind: fc.constantFrom('syn-reply' as const, 'headers' as const),
    streamId: id,
    fin: fc.boolean(),
    headers,
  }),
  fc.record({ kind: fc.constant('rst-stream' as const), streamId: id, status: word }),
  fc.record({
    kind: fc.constant('settings' as const),
    clear: fc.boolean(),
    settings: fc.array(
      fc.record({
        id: fc.integer({ min: 0, max: 0xff_ffff }),
        flags: fc.integer({ min: 0, max: 255 }),
        value: word,
      }),
      { maxLength: 4 },
    ),
  }),
  fc.record({ kind: fc.constant('ping' as const), id: word }),
  fc.record({
    kind: fc.constant('goaway' as const),
    lastStreamId: fc.integer({ min: 0, max: 0x7fff_ffff }),
    status: word,
  }),
  fc.record({
    kind: fc.constant('window-update' as const),
    streamId: fc.integer({ min: 0, max: 0x7fff_ffff }),
    delta: fc.integer({ min: 0, max: 0x7fff_ffff }),
  }),
  fc.record({
    kind: fc.constant('data' as const),
    streamId: id,
    fin: fc.boolean(),
    data: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  }),
);

describe('SPDY/3.1 framer', () => {
  it('presets zlib with the dictionary of the specification', () => {
    expect(DICTIONARY.length).toBe(1423);
    expect(createHash('sha256').update(DICTIONARY).digest('hex')).toBe(
      '51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02',
    );
  });

  it('decodes any frames, cut anywhere, to what was encoded', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(frame, { maxLength: 12 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 40 })),
        async (frames, sizes) => {
          const bytes = await encodeAll(frames);
          const decoded = await collect(decodeFrames(cut(bytes, sizes)));
          expect(decoded).toEqual(joined(frames));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps one compression context for all headers of a direction', async () => {
    const same = {
      kind: 'syn-reply',
      streamId: 1,
      fin: false,
      headers: new Map([['name', 'x7Q-p0LmZr']]),
    } as const;
    const first = (await encodeAll([same])).length;
    const both = (await encodeAll([same, same])).length;
    expect(both - first).toBeLessThan(first - 10);
  });

  const bad: [string, Buffer, RegExp][] = [
    ['another version', Buffer.from('8002000600000004000000010', 'hex'), /SPDY version 2/],
    ['a wrong length', Buffer.from('800300060000000500000001ff', 'hex'), /PING frame of 5 bytes/],
    ['data for stream 0', Buffer.from('00000000000000010a', 'hex'), /stream 0/],
    ['a control frame that is too long', Buffer.from('8003000800ffffff', 'hex'), /up to 65536/],
    ['headers that are no zlib', Buffer.from('800300020000000800000001deadbeef', 'hex'), /compression/],
    ['an end inside a frame', Buffer.from('80030006000000040000', 'hex'), /ended inside a frame/],
  ];
  it.each(bad)('refuses %s', async (_name, bytes, message) => {
    await expect(collect(decodeFrames(cut(bytes, endless(7))))).rejects.toThrow(message);
  });

  it('stops decompressing headers at the limit', async () => {
    const encoder = createHeaderEncoder();
    const block = await encoder.pass(new Map([['a', 'x'.repeat(60_000)]]));
    const again = await encoder.pass(new Map([['b', 'x'.repeat(60_000)]]));
    const bomb = encodeHeaderFrame(
      { kind: 'headers', streamId: 1, fin: false, headers: new Map() },
      Buffer.concat([block, again]),
    );
    encoder.close();
    expect(bomb.length).toBeLessThan(1000);
    await expect(collect(decodeFrames(cut(bomb, endless(1 << 20))))).rejects.toThrow(/more than 65536 bytes/);
  });
});

async function encodeAll(frames: readonly Frame[]): Promise<Buffer> {
  const encoder = createHeaderEncoder();
  const parts: Buffer[] = [];
  for (const one of frames) {
    if (one.kind === 'data') parts.push(encodeDataHead(one), one.data);
    else if ('headers' in one) parts.push(encodeHeaderFrame(one, await encoder.pass(one.headers)));
    else parts.push(encodePlainFrame(one));
  }
  encoder.close();
  return Buffer.concat(parts);
}

async function collect(source: AsyncIterable<Frame>): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const one of source) frames.push(one);
  return joined(frames);
}

/** Data of one stream as one frame: where it is cut carries no meaning. */
function joined(frames: readonly Frame[]): Frame[] {
  const result: Frame[] = [];
  for (const one of frames) {
    const last = result.at(-1);
    if (one.kind === 'data' && last?.kind === 'data' && last.streamId === one.streamId && !last.fin)
      result[result.length - 1] = { ...one, data: Buffer.concat([last.data, one.data]) };
    else result.push(one);
  }
  return result;
}

async function* cut(bytes: Buffer, sizes: Iterable<number>): AsyncGenerator<Buffer> {
  let offset = 0;
  for (const size of sizes) {
    if (offset >= bytes.length) return;
    yield bytes.subarray(offset, offset + size);
    offset += size;
  }
}

function* endless(size: number): Generator<number> {
  for (;;) yield size;
}
