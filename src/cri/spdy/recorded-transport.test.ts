import { expect, it } from 'vitest';
import { decodeFrames } from './decode.js';
import type { Frame } from './frames.js';

/** Written by npm's spdy-transport 3.0.0 (test/peers/suites/streaming/spdy-transport.mjs). */
const RECORDED = [
  '80030001000000560000000100000000600038ace3c6a7c202a523703a2b294a4dcc851625aca9a0800625532b78626609f0',
  '0f0e0125572bec4997d5aa20115c9631ea8335162767a4e6820dcb2829292806ab80163a8c1900000000ffff800300020000',
  '001a000000010225751003949d189320ea31330956ab00000000ffff80030008000000160000000102e9001956a19b9f0732',
  '9ed110000000ffff000000010100000568656c6c6f8003000600000004000000098003000300000008000000010000000580',
  '030007000000080000000100000000',
].join('');

it('understands what spdy-transport writes', async () => {
  const frames: Frame[] = [];
  const source = (async function* () {
    yield Buffer.from(RECORDED, 'hex');
  })();
  for await (const frame of decodeFrames(source)) frames.push(frame);
  expect(frames).toEqual([
    {
      kind: 'syn-stream',
      streamId: 1,
      associatedId: 0,
      priority: 3,
      fin: false,
      unidirectional: false,
      headers: new Map([
        ['streamtype', 'error'],
        [':method', 'POST'],
        [':version', 'HTTP/1.1'],
        [':path', '/'],
        [':scheme', 'https'],
        [':host', 'h'],
      ]),
    },
    {
      kind: 'syn-reply',
      streamId: 1,
      fin: false,
      headers: new Map([
        ['a', 'b'],
        [':status', '200 OK'],
        [':version', 'HTTP/1.1'],
      ]),
    },
    { kind: 'headers', streamId: 1, fin: false, headers: new Map([['x-one', '1']]) },
    { kind: 'data', streamId: 1, fin: true, data: Buffer.from('hello') },
    { kind: 'ping', id: 9 },
    { kind: 'rst-stream', streamId: 1, status: 5 },
    { kind: 'goaway', lastStreamId: 1, status: 0 },
  ]);
});
