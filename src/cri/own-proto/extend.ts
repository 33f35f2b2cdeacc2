import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { camelCase } from '../field-name.js';
import { setEntry } from '../map-entry.js';
import { isScalar, type ProtoField, type Scalar } from './read.js';

/** The functions of a generated message type, which decode and encode nested messages too. */
export interface Codec {
  encode(message: object, writer?: BinaryWriter): BinaryWriter;
  decode(input: BinaryReader | Uint8Array, length?: number): object;
  fromJSON(json: object): object;
  toJSON(message: object): unknown;
  create(base?: object): object;
  fromPartial(partial: object): object;
}

export interface Lookup {
  message(name: string): Codec | undefined;
  /** Numbers by name. */
  values(name: string): ReadonlyMap<string, number>;
}

type Fields = Record<string, unknown>;

const VARINTS = new Set<string>(['int32', 'int64', 'uint32', 'uint64', 'sint32', 'sint64', 'bool']);
const LONG = /64$/;

/**
 * The codec of a message with more fields than `base` knows, in the shapes of generated code: enums are numbers, 64-bit
 * integers bigints, maps objects. `named` are fields of `base` whose enum has more values.
 */
export function extend(
  base: Codec,
  extra: readonly ProtoField[],
  named: readonly ProtoField[],
  lookup: Lookup,
): Codec {
  const byNumber = new Map(extra.map((field) => [field.number, new Extra(field, lookup)]));
  const added = [...byNumber.values()];
  const shown = [...added, ...named.map((field) => new Extra(field, lookup))];
  const withAdded = (message: object, from: Fields): object => {
    for (const field of added) (message as Fields)[field.key] = field.complete(from[field.key]);
    return message;
  };
  return {
    encode: (message, writer = new BinaryWriter()) => {
      base.encode(message, writer);
      for (const field of added) field.write((message as Fields)[field.key], writer);
      return writer;
    },
    decode: (input, length) => {
      const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
      const start = reader.pos;
      const message = withAdded(base.decode(reader, length), {}) as Fields;
      const end = reader.pos;
      reader.pos = start;
      while (reader.pos < end) {
        const tag = reader.uint32();
        const field = byNumber.get(tag >>> 3);
        if (field === undefined || !field.read(message, tag & 7, reader)) reader.skip(tag & 7);
      }
      return message;
    },
    create: (partial = {}) => withAdded(base.create(partial), partial as Fields),
    fromPartial: (partial) => withAdded(base.fromPartial(partial), partial as Fields),
    toJSON: (message) => {
      const json = base.toJSON(message) as Fields;
      for (const field of shown) {
        const value = (message as Fields)[field.key];
        if (!field.isDefault(value)) json[field.key] = field.toJson(value);
      }
      return json;
    },
    fromJSON: (json) => {
      const message = base.fromJSON(json) as Fields;
      for (const field of shown) {
        const value = (json as Fields)[field.key] ?? (json as Fields)[field.name];
        message[field.key] = value === undefined ? field.complete(undefined) : field.fromJson(value);
      }
      return message;
    },
  };
}

/** The base of a new message. */
export const NOTHING: Codec = {
  encode: (_, writer = new BinaryWriter()) => writer,
  decode: (input, length) => {
    const reader = input instanceof BinaryReader ? input : new BinaryReader(input);
    reader.pos = length === undefined ? reader.len : reader.pos + length;
    return {};
  },
  fromJSON: () => ({}),
  toJSON: () => ({}),
  create: () => ({}),
  fromPartial: () => ({}),
};

/** A field of the user's file, in the shapes of generated code. */
export class Extra {
  readonly key: string;
  readonly name: string;
  readonly #field: ProtoField;
  readonly #lookup: Lookup;
  /** An enum is an int32 on the wire. */
  readonly #scalar: Scalar | undefined;

  constructor(field: ProtoField, lookup: Lookup) {
    this.#field = field;
    this.#lookup = lookup;
    this.name = field.name;
    this.key = camelCase(field.name);
    if (isScalar(field.type)) this.#scalar = field.type;
    else if (lookup.message(field.type) === undefined) this.#scalar = 'int32';
  }

  /** A value in the shape of generated code, from a part of it. */
  complete(value: unknown): unknown {
    const { repeated, mapKey } = this.#field;
    if (mapKey !== undefined) return mapped(value ?? {}, (each) => this.#completeOne(each));
    if (repeated) return ((value ?? []) as unknown[]).map((each) => this.#completeOne(each));
    return value === undefined || value === null ? this.#zero() : this.#completeOne(value);
  }

  isDefault(value: unknown): boolean {
    if (value === undefined) return true;
    if (this.#field.presence) return false;
    if (value instanceof Uint8Array || Array.isArray(value)) return value.length === 0;
    if (this.#field.mapKey !== undefined) return Object.keys(value as object).length === 0;
    return Object.is(value, this.#zero());
  }

  toJson(value: unknown): unknown {
    return this.#each(value, (each) => this.#oneToJson(each));
  }

  fromJson(value: unknown): unknown {
    return this.#each(value, (each) => this.#oneFromJson(each));
  }

  write(value: unknown, writer: BinaryWriter): void {
    const { number, mapKey, repeated } = this.#field;
    if (this.isDefault(value)) return;
    if (mapKey !== undefined)
      for (const [key, each] of Object.entries(value as object)) {
        const entry = writer.tag(number, WireType.LengthDelimited).fork();
        writeScalar(mapKey as Scalar, 1, mapKey === 'string' ? key : JSON.parse(key), entry);
        this.#writeOne(2, each, entry);
        entry.join();
      }
    else for (const each of repeated ? (value as unknown[]) : [value]) this.#writeOne(number, each, writer);
  }

  /** False if the wire has another type than the field. */
  read(message: Fields, wire: WireType, reader: BinaryReader): boolean {
    const { repeated, mapKey } = this.#field;
    if (mapKey !== undefined) return wire === WireType.LengthDelimited && this.#readEntry(message, reader);
    const packed = repeated && wire === WireType.LengthDelimited && this.#wire() !== WireType.LengthDelimited;
    if (!packed && wire !== this.#wire()) return false;
    if (!repeated) message[this.key] = this.#readOne(reader);
    else if (!packed) (message[this.key] as unknown[]).push(this.#readOne(reader));
    else
      for (const end = reader.uint32() + reader.pos; reader.pos < end; )
        (message[this.key] as unknown[]).push(this.#readOne(reader));
    return true;
  }

  #readEntry(message: Fields, reader: BinaryReader): boolean {
    let key: unknown = this.#field.mapKey === 'string' ? '' : 0;
    let value: unknown;
    for (const end = reader.uint32() + reader.pos; reader.pos < end; ) {
      const tag = reader.uint32();
      if (tag >>> 3 === 1) key = reader[this.#field.mapKey as Scalar]();
      else if (tag >>> 3 === 2) value = this.#readOne(reader);
      else reader.skip(tag & 7);
    }
    setEntry(message[this.key] as Fields, String(key), value ?? this.#zero() ?? this.#completeOne({}));
    return true;
  }

  #each(value: unknown, convert: (one: unknown) => unknown): unknown {
    const { mapKey, repeated } = this.#field;
    if (mapKey !== undefined) return mapped(value as object, convert);
    return repeated ? [value].flat().map(convert) : convert(value);
  }

  get #message(): Codec {
    return this.#lookup.message(this.#field.type) as Codec;
  }

  #zero(): unknown {
    if (this.#field.presence || this.#scalar === undefined) return undefined;
    if (this.#scalar === 'string') return '';
    if (this.#scalar === 'bool') return false;
    if (this.#scalar === 'bytes') return Buffer.alloc(0);
    return LONG.test(this.#scalar) ? 0n : 0;
  }

  #completeOne(value: unknown): unknown {
    if (this.#scalar === undefined) return this.#message.fromPartial(value as object);
    return LONG.test(this.#scalar) ? BigInt(value as bigint) : value;
  }

  #oneToJson(value: unknown): unknown {
    if (this.#scalar === undefined) return this.#message.toJSON(value as object);
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    if (typeof value === 'bigint') return String(value);
    if (isScalar(this.#field.type)) return value;
    for (const [name, number] of this.#lookup.values(this.#field.type)) if (number === value) return name;
    return value;
  }

  #oneFromJson(value: unknown): unknown {
    if (this.#scalar === undefined) return this.#message.fromJSON(value as object);
    if (this.#scalar === 'bytes') return Buffer.from(String(value), 'base64');
    if (this.#scalar === 'string') return String(value);
    if (this.#scalar === 'bool') return Boolean(value);
    if (LONG.test(this.#scalar)) return BigInt(value as string);
    if (isScalar(this.#field.type)) return Number(value);
    return this.#lookup.values(this.#field.type).get(String(value)) ?? Number(value);
  }

  #wire(): WireType {
    if (this.#scalar === undefined) return WireType.LengthDelimited;
    return wireOf(this.#scalar);
  }

  #writeOne(number: number, value: unknown, writer: BinaryWriter): void {
    if (this.#scalar !== undefined) writeScalar(this.#scalar, number, value, writer);
    else {
      const inner = writer.tag(number, WireType.LengthDelimited).fork();
      this.#message.encode(value as object, inner).join();
    }
  }

  #readOne(reader: BinaryReader): unknown {
    if (this.#scalar === undefined) return this.#message.decode(reader, reader.uint32());
    const value = reader[this.#scalar]();
    return this.#scalar === 'bytes'
      ? Buffer.from(value as Uint8Array)
      : LONG.test(this.#scalar)
        ? BigInt(value as bigint)
        : value;
  }
}

function wireOf(scalar: Scalar): WireType {
  if (VARINTS.has(scalar)) return WireType.Varint;
  if (scalar === 'double' || /fixed64$/.test(scalar)) return WireType.Bit64;
  if (scalar === 'float' || /fixed32$/.test(scalar)) return WireType.Bit32;
  return WireType.LengthDelimited;
}

function writeScalar(scalar: Scalar, number: number, value: unknown, writer: BinaryWriter): void {
  writer.tag(number, wireOf(scalar));
  writer[scalar](value as never);
}

function mapped(value: object, convert: (one: unknown) => unknown): object {
  const made: Fields = {};
  for (const [key, each] of Object.entries(value)) setEntry(made, key, convert(each));
  return made;
}
