import { expect, test } from 'vitest';
import { CreateContainerRequest } from '../../cri/gen/runtime/v1/api.js';
import { decodeRequest } from './codec.js';

const method = {
  name: 'CreateContainer',
  requestType: CreateContainerRequest,
  responseSerialize: () => Buffer.alloc(0),
};

/** A request whose config repeats one field, which is empty. */
function repeated(field: number, times: number): Buffer {
  const one = Buffer.from([(field << 3) | 2, 0]);
  const config = Buffer.alloc(one.length * times, one);
  const length: number[] = [];
  for (let left = config.length; ; left >>>= 7) {
    length.push((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
    if (left <= 0x7f) break;
  }
  return Buffer.concat([Buffer.from([(2 << 3) | 2, ...length]), config]);
}

test.each([
  ['variables', 6],
  ['mounts', 7],
  ['devices', 8],
  ['unknown fields', 15],
])('a request of too many fields is refused before it is objects: %s', (_, field) => {
  expect(() => decodeRequest(method, repeated(field, 7_000_000))).toThrow(
    expect.objectContaining({
      kind: 'exhausted',
      message:
        'the CreateContainerRequest has more than 100000 fields, with those of the messages inside of it',
    }),
  );
});

test('a long request of few fields is read', () => {
  const annotations = Object.fromEntries(
    Array.from({ length: 10_000 }, (_, n) => [`k${n}`, 'v'.repeat(100)] as const),
  );
  const request = CreateContainerRequest.fromPartial({ config: { annotations } });
  const bytes = Buffer.from(CreateContainerRequest.encode(request).finish());
  expect(decodeRequest(method, bytes)).toEqual(request);
});

test('a request of too many packed numbers is refused before they are objects', () => {
  const supplementalGroups = Array<bigint>(250_000).fill(1n);
  const request = CreateContainerRequest.fromPartial({
    config: { linux: { securityContext: { supplementalGroups } } },
  });
  const bytes = Buffer.from(CreateContainerRequest.encode(request).finish());
  expect(bytes.length).toBeLessThan(260_000);
  expect(() => decodeRequest(method, bytes)).toThrow(/more than 100000 fields/);
});
