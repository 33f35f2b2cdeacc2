import { expect, it } from 'vitest';
import { decodeFrames } from './decode.js';
import type { Frame } from './frames.js';

/** Written by moby/spdystream 0.5.1 (`client bytes` in test/peers/suites/streaming/client); its headers are Go's zlib's. */
const RECORDED = [
  '80030001000000290000000100000000600078f9e3c6a7c26260606004a7b392a2d4c45c6851c29a0a0a6800000000ffff80',
  '0300010100001700000003000000000000c22e555c92929907000000ffff800300020000000e000000016260606000000000',
  'ffff800300080000001c00000001824ab355e8e626e655828bf5bc548692f27c00000000ffff000000030000000768656c6c',
  '6f00ff0000000301000000800300040000000c00000001010000040000006480030006000000040000000580030009000000',
  '0800000003000100008003000300000008000000010000000580030007000000080000000300000000',
].join('');

it('understands what Go writes', async () => {
  const frames: Frame[] = [];
  const source = (async function* () {
    yield Buffer.from(RECORDED, 'hex');
  })();
  for await (const frame of decodeFrames(source)) frames.push(frame);
  const stream = { kind: 'syn-stream', associatedId: 0, unidirectional: false };
  expect(frames).toEqual([
    { ...stream, streamId: 1, priority: 3, fin: false, headers: new Map([['streamtype', 'error']]) },
    { ...stream, streamId: 3, priority: 0, fin: true, headers: new Map([['streamtype', 'stdin']]) },
    { kind: 'syn-reply', streamId: 1, fin: false, headers: new Map() },
    { kind: 'headers', streamId: 1, fin: false, headers: new Map([['x-many', 'one\0two']]) },
    { kind: 'data', streamId: 3, fin: false, data: Buffer.from('hello\0\xff', 'latin1') },
    { kind: 'data', streamId: 3, fin: true, data: Buffer.alloc(0) },
    { kind: 'settings', clear: false, settings: [{ flags: 1, id: 4, value: 100 }] },
    { kind: 'ping', id: 5 },
    { kind: 'window-update', streamId: 3, delta: 65_536 },
    { kind: 'rst-stream', streamId: 1, status: 5 },
    { kind: 'goaway', lastStreamId: 3, status: 0 },
  ]);
});
