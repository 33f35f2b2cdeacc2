import { brief } from '../base/input/given.js';
import { InputError } from '../base/input/yaml.js';
import { type MessageType, messageTypeOf } from '../cri/messages.js';

export type JsonObject = Record<string, unknown>;

export type Direction = 'Request' | 'Response';

/** A CRI message as bytes, object, or JSON; forms are created on use and cached. Callers must not change them. */
export class Message {
  readonly #type: MessageType;
  #bytes: Buffer | undefined;
  #value: object | undefined;
  #json: JsonObject | undefined;
  /** Whether `value` decodes the bytes each time. */
  readonly #isPacked: boolean;
  /** Whether somebody else encoded the bytes. */
  readonly #isReceived: boolean;
  /** Which check `value` performs on the decoded message. */
  readonly #isForeign: boolean;
  readonly #where: string | undefined;

  private constructor(
    type: MessageType,
    forms: { bytes?: Buffer | undefined; value?: object; json?: JsonObject; isPacked?: boolean },
    where?: string,
  ) {
    this.#type = type;
    this.#bytes = forms.bytes;
    this.#value = forms.value;
    this.#json = forms.json;
    this.#isPacked = forms.isPacked ?? false;
    this.#isReceived = forms.bytes !== undefined;
    this.#isForeign = forms.json !== undefined;
    this.#where = where;
  }

  /** `method` is for example `StartContainer`. Throws for an unknown name. */
  static ofBytes(method: string, direction: Direction, bytes: Buffer): Message {
    return new Message(messageTypeOf(method, direction), { bytes });
  }

  /** From an object of a service, or its bytes. `bytes`: what the object was decoded from. */
  static of(method: string, direction: Direction, given: object, bytes?: Buffer): Message {
    const type = messageTypeOf(method, direction);
    return new Message(type, Buffer.isBuffer(given) ? { bytes: given } : { value: given, bytes });
  }

  /** From protobuf JSON, with the bytes if the JSON loses something, and its file and line. */
  static ofJson(
    method: string,
    direction: Direction,
    json: JsonObject,
    { raw, where }: { readonly raw?: Buffer | undefined; readonly where?: string } = {},
  ): Message {
    return new Message(messageTypeOf(method, direction), { json, bytes: raw }, where);
  }

  /** Keeps only bytes, stored by `keep`; other forms are created on each use. */
  packed(keep: (bytes: Buffer) => Buffer): Message {
    // Decoding first finds fields that don't fit.
    this.value();
    return new Message(this.#type, { bytes: keep(this.bytes()), isPacked: true }, this.#where);
  }

  /** The message in the generated type. Throws an InputError with line and field for JSON that doesn't fit. */
  value<T extends object = object>(): T {
    if (this.#isPacked) return this.#read() as T;
    this.#value ??= this.#read();
    return this.#value as T;
  }

  json(): JsonObject {
    const json = this.#json ?? (this.#type.toJSON(this.value()) as JsonObject);
    if (!this.#isPacked) this.#json = json;
    return json;
  }

  /** Wire format: the original bytes, if available. */
  bytes(): Buffer {
    this.#bytes ??= asBuffer(this.#type.encode(this.value()).finish());
    return this.#bytes;
  }

  /** The bytes, if the JSON would not reproduce them: unknown fields, or another order. */
  lost(): Buffer | undefined {
    const bytes = this.bytes();
    const json = this.json();
    const isExact = !this.#isForeign && isExactIn(json);
    if (isExact && !this.#isReceived) return undefined;
    const same = isExact ? this.value() : this.#type.fromJSON(json);
    return asBuffer(this.#type.encode(same).finish()).equals(bytes) ? undefined : bytes;
  }

  #read(): object {
    try {
      return this.#bytes === undefined ? this.#fromJson() : this.#type.decode(this.#bytes);
    } catch (error) {
      if (this.#where === undefined) throw error;
      throw new InputError([`${this.#where}: message: ${(error as Error).message}`]);
    }
  }

  #fromJson(): object {
    const json = this.#json ?? {};
    const value = this.#type.fromJSON(json);
    if (this.#isForeign) {
      const misfit = misfitOf(json, this.#type.toJSON(value));
      if (misfit !== undefined) throw new Error(misfit);
    }
    return value;
  }
}

/** Bytes of small messages that share a buffer. */
const SLAB = 256 * 1024;

/** Packs messages into shared buffers (see `Message.packed`); an identical message stays the same object. */
export function createPacker(): (message: Message) => Message {
  const packed = new WeakMap<Message, Message>();
  let slab = Buffer.alloc(0);
  let used = 0;
  const keep = (bytes: Buffer): Buffer => {
    if (bytes.length > SLAB / 4) return Buffer.from(bytes);
    if (used + bytes.length > slab.length) {
      slab = Buffer.allocUnsafeSlow(SLAB);
      used = 0;
    }
    const kept = slab.subarray(used, used + bytes.length);
    used += bytes.copy(kept);
    return kept;
  };
  return (message) => {
    const known = packed.get(message) ?? message.packed(keep);
    packed.set(message, known);
    return known;
  };
}

/**
 * Whether JSON keeps each number of a message: it does not for NaN and infinity, nor for enum values that the type
 * lacks.
 */
const isExactIn = (json: unknown): boolean =>
  typeof json === 'object' && json !== null
    ? Object.values(json).every(isExactIn)
    : json !== 'UNRECOGNIZED' && (typeof json !== 'number' || Number.isFinite(json));

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function misfitOf(given: unknown, made: unknown, path = ''): string | undefined {
  if (given === made || isDefault(given)) return undefined;
  if (Array.isArray(given)) {
    if (!Array.isArray(made)) return `${path}: no list is expected here`;
    return firstOf(given.map((item, index) => () => misfitOf(item, made[index] ?? {}, `${path}[${index}]`)));
  }
  if (typeof given === 'object' && given !== null) {
    if (typeof made !== 'object' || made === null) return `${path}: no object is expected here`;
    const fields = made as JsonObject;
    return firstOf(
      Object.entries(given).map(
        ([name, value]) =>
          () =>
            misfitOf(value, fields[name], path === '' ? name : `${path}.${name}`),
      ),
    );
  }
  if (made === undefined || typeof made === 'object')
    return `${path}: ${brief(given)} does not fit the field, or there is no such field`;
  return String(made) === String(given) || typeof made === 'number' || isEnum(made)
    ? undefined
    : `${path}: ${brief(given)} does not fit the field`;
}

const isEnum = (made: unknown): boolean => typeof made === 'string' && /^[A-Z][A-Z_0-9]+$/.test(made);

function firstOf(looks: readonly (() => string | undefined)[]): string | undefined {
  for (const look of looks) {
    const found = look();
    if (found !== undefined) return found;
  }
  return undefined;
}

const isDefault = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === 0 ||
  value === '0' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && Object.keys(value).length === 0) ||
  (typeof value === 'string' && /^[A-Z][A-Z_0-9]+$/.test(value));
