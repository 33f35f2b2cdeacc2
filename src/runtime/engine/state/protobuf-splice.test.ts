import { expect, test } from 'vitest';
import fc from '../../../../test/support/properties.js';
import { PodSandbox, PodSandboxStatus } from '../../../cri/gen/runtime/v1/api.js';
import { encode, frame, renumber, unframe } from './protobuf-splice.js';

const labels = fc.dictionary(fc.string(), fc.string({ maxLength: 300 }));

test('renumbers a message into another one, leaving out what that has no number for', () => {
  fc.assert(
    fc.property(fc.string(), labels, fc.bigInt({ min: 0n, max: 2n ** 62n }), (id, given, createdAt) => {
      const item = PodSandbox.fromPartial({ id, labels: given, createdAt, runtimeHandler: 'left out' });
      const numbers = new Map([
        [1, 1],
        [4, 4],
        [5, 7],
      ]);
      const status = PodSandboxStatus.fromPartial({ id, labels: given, createdAt });
      expect(PodSandboxStatus.decode(renumber(encode(PodSandbox, item), numbers))).toEqual(status);
    }),
  );
});

test('gives numbers that take a longer tag', () => {
  const message = Buffer.of(8, 1, 18, 1, 65);
  const renumbered = renumber(
    message,
    new Map([
      [1, 17],
      [2, 300],
    ]),
  );
  expect([...renumbered]).toEqual([136, 1, 1, 226, 18, 1, 65]);
});

test('takes a message out of its frame', () => {
  for (const size of [0, 127, 128, 20_000]) {
    const message = Buffer.alloc(size, 7);
    expect(unframe(frame(message)).equals(message)).toBe(true);
  }
});
