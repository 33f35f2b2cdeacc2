import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.js';
import { encodeHeaderFrame, encodePlainFrame } from '../../../test/support/network/spdy-frames.js';
import { countOf, ofAll } from '../../../test/support/thorough.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRandom } from '../../base/random/random.js';
import { SpdyConnection } from './connection.js';
import { decodeFrames } from './decode.js';
import { SpdyError } from './frames.js';
import { createHeaderEncoder } from './header-block.js';

const ALL_INPUTS = 100_000;
const INPUTS = countOf(ALL_INPUTS, 1500);

/** Frames as they should be, to start from. */
async function goodBytes(): Promise<Buffer> {
  const encoder = createHeaderEncoder();
  const block = await encoder.pass(new Map([['streamtype', 'error']]));
  encoder.close();
  return Buffer.concat([
    encodePlainFrame({ kind: 'ping', id: 1 }),
    encodeHeaderFrame(
      {
        kind: 'syn-stream',
        streamId: 1,
        associatedId: 0,
        priority: 0,
        fin: false,
        unidirectional: false,
        headers: new Map(),
      },
      block,
    ),
    Buffer.from('0000000101000003616263', 'hex'),
    encodePlainFrame({ kind: 'settings', clear: false, settings: [{ id: 4, flags: 0, value: 1 }] }),
    encodePlainFrame({ kind: 'goaway', lastStreamId: 1, status: 0 }),
  ]);
}

function mutator(good: Buffer, seed: number) {
  const random = createRandom(seed);
  const below = (limit: number) => Math.floor(random.next() * limit);
  return () => {
    const bytes = Buffer.from(good.subarray(0, below(4) === 0 ? below(good.length) : good.length));
    for (let left = 1 + below(4); left > 0 && bytes.length > 0; left--)
      bytes[below(bytes.length)] = below(256);
    return bytes;
  };
}

it(`ends in order or with an error on malformed input (${ofAll(INPUTS, ALL_INPUTS, 'inputs')})`, async () => {
  const next = mutator(await goodBytes(), 20_260_101);
  let refused = 0;
  for (let count = 0; count < INPUTS; count++) {
    const bytes = next();
    const source = (async function* () {
      yield bytes;
    })();
    try {
      for await (const frame of decodeFrames(source)) expect(frame.kind).toBeTypeOf('string');
    } catch (error) {
      if (!(error instanceof SpdyError)) throw error;
      refused++;
    }
  }
  expect(refused).toBeGreaterThan(INPUTS / 4);
});

it('closes the connection on any malformed input', async () => {
  const next = mutator(await goodBytes(), 7);
  const clock = createVirtualClock();
  for (let count = 0; count < INPUTS / 50; count++) {
    const input = new PassThrough();
    const connection = new SpdyConnection(duplexOf(input), { clock, accept: () => true });
    input.end(next());
    await eventually(() => connection.closed.aborted).toBe(true);
  }
});

/** Reads from `input`, and drops what is written. */
function duplexOf(input: PassThrough): PassThrough {
  const duplex = new PassThrough();
  duplex._write = (_chunk, _encoding, done) => done();
  input.on('data', (chunk) => duplex.push(chunk));
  input.on('end', () => duplex.push(null));
  return duplex;
}
