import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { expect, test } from 'vitest';
import { isReadable, readEvent, readObject } from './encoding.js';

/** A message of protobuf with these fields. */
function message(...fields: readonly (readonly [number, string | Uint8Array | number])[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const [number, value] of fields)
    if (typeof value === 'number') writer.tag(number, WireType.Varint).uint32(value);
    else writer.tag(number, WireType.LengthDelimited).bytes(Buffer.from(value));
  return writer.finish();
}

const metadata = message([1, 'web-a'], [3, 'default'], [6, '42'], [7, 1]);
const pod = Buffer.concat([
  Buffer.from('k8s\0'),
  message([1, message([1, 'v1'], [2, 'Pod'])], [2, message([1, metadata], [2, message()])], [3, ''], [4, '']),
]);
const web = { namespace: 'default', name: 'web-a', revision: 42, isEnding: false };

test('objects and events of protobuf and of JSON say what they are about', () => {
  const protobuf = 'application/vnd.kubernetes.protobuf;stream=watch';
  expect(readObject(pod, protobuf)).toEqual({ type: '', ...web });
  const event = message([1, 'ADDED'], [2, message([1, pod])]);
  const frame = Buffer.concat([Buffer.from([0, 0, 0, event.length]), event]);
  expect(readEvent(frame, protobuf)).toEqual({ type: 'ADDED', ...web });
  const object = { metadata: { name: 'web-a', namespace: 'default', resourceVersion: '42' } };
  const json = Buffer.from(JSON.stringify({ type: 'ADDED', object }));
  expect(readEvent(json, 'application/json')).toEqual({ type: 'ADDED', ...web });
});

test('a status is about no object, and other encodings are not read', () => {
  const status = Buffer.from('{"kind":"Status","metadata":{},"code":404}');
  expect(readObject(status, 'application/json')).toBeUndefined();
  expect(isReadable('application/cbor')).toBe(false);
});
