import { expect, test } from 'vitest';
import { ContainerStatusResponse, VersionResponse } from '../cri/gen/runtime/v1/api.js';
import { Message } from './message.js';

const version = { version: '1', runtimeName: 'one', runtimeVersion: '2', runtimeApiVersion: 'v1' };
const bytes = Buffer.from(VersionResponse.encode(version).finish());
const status = (state: number) => ContainerStatusResponse.fromPartial({ status: { id: 'a', state } });

test.each([
  ['its own message', Message.of('Version', 'Response', version), false],
  ['a received message', Message.of('Version', 'Response', version, bytes), false],
  ['received bytes', Message.of('Version', 'Response', bytes), false],
  [
    'an unknown field',
    Message.of('Version', 'Response', Buffer.concat([bytes, Buffer.of(0x7a, 1, 65)])),
    true,
  ],
  [
    'fields in another order',
    Message.of('Version', 'Response', Buffer.concat([bytes.subarray(3), bytes.subarray(0, 3)])),
    true,
  ],
  ['a state that the type has', Message.of('ContainerStatus', 'Response', status(1)), false],
  ['a state that the type lacks', Message.of('ContainerStatus', 'Response', status(7)), true],
])('the JSON form of %s loses something: %#', (_, message, loses) => {
  expect(message.lost()?.equals(message.bytes()) ?? false).toBe(loses);
});

test('a value that does not fit its field is shown in a short message', () => {
  const stdout = `${'abcd'.repeat(100_000)}!`;
  const message = Message.ofJson('ExecSync', 'Response', { stdout }, { where: 'x.tape:3' });
  expect(() => message.value()).toThrow(/^x.tape:3: message: stdout: "(abcd){19}… does not fit the field$/);
});
