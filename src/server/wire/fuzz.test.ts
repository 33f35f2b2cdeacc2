import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { turn } from '../../clock/turn.js';
import { createVirtualClock } from '../../clock/virtual-clock.js';
import { FrameType, frame, PREFACE, settings } from '../../cri/wire/frames.js';
import { encodeFields } from '../../cri/wire/hpack.js';
import { withPrefix } from '../../cri/wire/messages.js';
import { GrpcServer } from './grpc-server.js';
import type { IncomingCall } from './incoming-call.js';

const block = encodeFields([
  [':method', 'POST'],
  [':path', '/a/Echo'],
  ['content-type', 'application/grpc'],
]);

const bytes = fc.uint8Array({ maxLength: 40 }).map((given) => Buffer.from(given));
const known = fc.constantFrom(block, withPrefix(Buffer.from('x')), Buffer.alloc(4, 1), Buffer.alloc(8));
const anyFrame = fc
  .tuple(
    fc.integer({ min: 0, max: 10 }),
    fc.integer({ min: 0, max: 45 }),
    fc.integer({ min: 0, max: 5 }),
    fc.oneof(known, bytes),
  )
  .map(([type, flags, id, payload]) => frame(type, flags, id, payload));
const likely = fc.constantFrom(
  frame(FrameType.headers, 4, 1, block),
  frame(FrameType.headers, 4, 3, block),
  frame(FrameType.data, 1, 1, withPrefix(Buffer.from('x'))),
  settings({ 4: 3 }),
);

test('whatever comes on a connection, in whatever pieces, nothing is thrown, and no call is left behind', async () => {
  const conversation = fc.array(fc.oneof(likely, anyFrame, bytes), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(conversation, fc.array(fc.integer({ min: 1, max: 60 })), async (said, cuts) => {
      let open = 0;
      const grpc = new GrpcServer({ clock: createVirtualClock(), largest: 100 });
      const begin = (call: IncomingCall) => {
        open++;
        call.onCancel(() => open--);
      };
      grpc.register('/a/Echo', { kind: 'single', begin });
      const socket = new PassThrough();
      // What the server writes goes nowhere; what is pushed is what the client says.
      socket._transform = (_, __, done) => done();
      grpc.serve(socket, { number: 1, peer: 'test' });
      let rest = Buffer.concat([PREFACE, settings({}), ...said]);
      for (const size of [...cuts, rest.length]) {
        if (rest.length > 0 && !socket.destroyed) socket.push(rest.subarray(0, size));
        rest = rest.subarray(size);
      }
      await turn();
      socket.destroy();
      await turn();
      expect(open).toBe(0);
    }),
    { numRuns: 500 },
  );
});
