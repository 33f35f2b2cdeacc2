import { parse, type Type } from 'protobufjs';
import { expect, test } from 'vitest';
import fc from '../../../test/support/properties.js';
import { packagePath } from '../../base/input/package-path.js';
import { camelCase } from '../field-name.js';
import * as api from '../gen/runtime/v1/api.js';
import { type Codec, extend, NOTHING } from './extend.js';
import { type ProtoField, readProto, SCALARS } from './read.js';

const generated = api as unknown as Readonly<Record<string, Codec>>;

test('fields have the names of generated code', () => {
  for (const [message, fields] of readProto(packagePath('proto')).messages) {
    const names = Object.keys((generated[message] as Codec).fromPartial({}));
    expect([message, fields.map(({ name }) => camelCase(name)).sort()]).toEqual([message, names.sort()]);
  }
});

const values: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  double: fc.double({ noNaN: true }),
  float: fc.float({ noNaN: true }),
  bool: fc.boolean(),
  string: fc.string({ unit: 'grapheme' }),
  bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
  ...Object.fromEntries(['int32', 'sint32', 'sfixed32'].map((type) => [type, fc.integer()])),
  ...Object.fromEntries(['uint32', 'fixed32'].map((type) => [type, fc.nat(0xffffffff)])),
  ...Object.fromEntries(
    ['int64', 'sint64', 'sfixed64'].map((type) => [type, fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)]),
  ),
  ...Object.fromEntries(['uint64', 'fixed64'].map((type) => [type, fc.bigInt(0n, 2n ** 64n - 1n)])),
};
const COLORS = new Map([
  ['RED', 0],
  ['BLUE', 1],
]);
const color = fc.constantFrom(...COLORS.values());
const inner = fc.record({ id: values.string as fc.Arbitrary<string> });

const of = (
  field: Partial<ProtoField> & Pick<ProtoField, 'name' | 'type'>,
  value: fc.Arbitrary<unknown>,
) => ({
  field: { repeated: false, mapKey: undefined, presence: false, number: 0, ...field },
  value,
});
/** A field of each kind, with its values. */
const kinds = [
  ...SCALARS.flatMap((type) => {
    const value = values[type] as fc.Arbitrary<unknown>;
    return [
      of({ name: `one_${type}`, type }, value),
      of({ name: `many_${type}`, type, repeated: true }, fc.array(value)),
      of({ name: `maybe_${type}`, type, presence: true }, fc.option(value, { nil: undefined })),
      of({ name: `by_name_${type}`, type, mapKey: 'string' }, fc.dictionary(fc.string(), value)),
    ];
  }),
  of({ name: 'color', type: 'Color' }, color),
  of({ name: 'colors', type: 'Color', repeated: true }, fc.array(color)),
  of({ name: 'inner', type: 'Inner' }, fc.option(inner, { nil: undefined })),
  of({ name: 'inners', type: 'Inner', repeated: true }, fc.array(inner)),
  of({ name: 'by_number', type: 'Inner', mapKey: 'int32' }, fc.dictionary(fc.integer().map(String), inner)),
].map(({ field, value }, index) => ({ field: { ...field, number: index + 1 } as ProtoField, value }));

const shape = ({ name, number, type, repeated, mapKey, presence }: ProtoField): string =>
  mapKey === undefined
    ? `${repeated ? 'repeated ' : presence && type !== 'Inner' ? 'optional ' : ''}${type} ${name} = ${number};`
    : `map<${mapKey}, ${type}> ${name} = ${number};`;

const source = `syntax = "proto3"; package runtime.v1; enum Color { RED = 0; BLUE = 1; } message Inner { string id = 1; }
message All { ${kinds.map(({ field }) => shape(field)).join('\n')} }`;
const peer: Type = parse(source, { keepCase: true }).root.lookupType('runtime.v1.All');

const created = new Map<string, Codec>();
const lookup = { message: (name: string) => created.get(name), values: () => COLORS };
const id: ProtoField = { ...(kinds[0]?.field as ProtoField), name: 'id', type: 'string', number: 1 };
created.set('Inner', extend(NOTHING, [id], [], lookup));
const all = extend(
  NOTHING,
  kinds.map(({ field }) => field),
  [],
  lookup,
);
const messages = fc.record(
  Object.fromEntries(kinds.map(({ field, value }) => [camelCase(field.name), value])),
);

test('a field of each kind keeps its value on the wire, in JSON, and through protobufjs', () => {
  fc.assert(
    fc.property(messages, (message) => {
      const bytes = all.encode(message).finish();
      const again = all.decode(bytes);
      expect(again).toEqual(message);
      // Fields with NaN and infinite values have names in JSON that CRI does not use.
      expect(all.fromPartial(message)).toEqual(message);
      expect(all.decode(peer.encode(peer.decode(bytes)).finish())).toEqual(message);
    }),
    { numRuns: 30 },
  );
});

test('JSON has names of enums, text for 64-bit numbers, base64 for bytes, and no defaults', () => {
  const message = all.fromPartial({
    color: 1,
    oneInt64: 5n,
    oneBytes: Buffer.from('x'),
    inners: [{ id: 'a' }],
  });
  const json = { color: 'BLUE', oneInt64: '5', oneBytes: 'eA==', inners: [{ id: 'a' }] };
  expect(all.toJSON(message)).toEqual(json);
  expect(all.fromJSON(json)).toEqual(message);
  expect(all.fromJSON({ by_number: { 7: { id: 'b' } } })).toMatchObject({ byNumber: { 7: { id: 'b' } } });
});
