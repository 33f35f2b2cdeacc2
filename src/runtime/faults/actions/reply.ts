import { isObject } from '../../../base/input/object.js';
import { camelCase } from '../../../cri/field-name.js';
import type { CriMethod } from '../../../cri/methods.js';
import type { Encoded } from '../../../cri/service.js';
import type { ActionNamed } from '../language/actions.js';
import { patchOperations, responseType } from '../language/fields.js';
import type { Rule } from '../matching/rule.js';

/** A field number that no CRI message uses; clients skip it. */
const PADDING_FIELD = 536_870_911;

/** The last padded reply of each rule. An identical reply isn't padded again, because padding is long. */
const padded = new WeakMap<
  Rule,
  { readonly reply: Encoded; readonly size: number; readonly result: Encoded }
>();

/** Appends this many bytes, in a field that clients skip. */
function pad(rule: Rule, reply: Encoded, size: number): Encoded {
  const last = padded.get(rule);
  if (last?.size === size && last.reply.equals(reply)) return last.result;
  const result = Buffer.concat([reply, padding(size)]);
  padded.set(rule, { reply, size, result });
  return result;
}

/** Applies a rule to a reply; a stale reply is `previous`, the last one to the same request. */
export function alterReply(
  method: CriMethod,
  reply: object,
  { options }: ActionNamed<'reply'>,
  previous: Encoded | undefined,
  rule: Rule,
): Encoded {
  const type = responseType(method);
  const original = Buffer.isBuffer(reply) ? reply : encode(method, reply);
  if ('empty' in options) return Buffer.alloc(0);
  if ('stale' in options) return previous ?? original;
  if ('pad' in options) return pad(rule, original, options.pad);
  if ('replace' in options) return encode(method, type.fromPartial(toFields(options.replace) as object));
  // A new element of a list has only the fields of the rule.
  return encode(method, type.fromPartial(patch(type.decode(original), options.patch) as object));
}

export function alterFields(reply: object, { options }: ActionNamed<'reply'>): object {
  if ('empty' in options) return {};
  if ('replace' in options) return toFields(options.replace) as object;
  return 'patch' in options ? (patch(reply, options.patch) as object) : reply;
}

export function encode(method: CriMethod, reply: object): Encoded {
  return Buffer.isBuffer(reply) ? reply : method.encodeReply(reply);
}

/**
 * Merges a patch into a message: mappings merge, everything else replaces. A mapping of `$add`, `$multiply` or
 * `$divide` computes with the present number. A patch on a repeated field that isn't a list patches each element.
 */
function patch(present: unknown, change: unknown): unknown {
  if (Array.isArray(present) && !Array.isArray(change))
    return present.map((element) => patch(element, change));
  const computed = compute(present, change);
  if (computed !== undefined) return computed;
  if (!isObject(change)) return convert(present, change);
  if (!isObject(present)) return toFields(change);
  const merged: Record<string, unknown> = { ...present };
  for (const [key, part] of Object.entries(change)) {
    const name = key in merged ? key : camelCase(key);
    merged[name] = patch(merged[name], part);
  }
  return merged;
}

function compute(present: unknown, change: unknown): unknown {
  if (!isObject(change)) return undefined;
  const [name, ...others] = Object.keys(change);
  const operation = name === undefined || others.length > 0 ? undefined : patchOperations[name];
  if (operation === undefined || name === undefined) return undefined;
  const result = operation(Number(present), Number(change[name]));
  return typeof present === 'bigint' ? BigInt(Math.trunc(result)) : result;
}

/** Converts a scalar to the field's own type: rules write 64-bit numbers and bytes as plain numbers and strings. */
function convert(present: unknown, value: unknown): unknown {
  if (typeof present === 'bigint' && (typeof value === 'number' || typeof value === 'string'))
    return BigInt(value);
  if (Buffer.isBuffer(present) && typeof value === 'string') return Buffer.from(value);
  return value;
}

function toFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toFields);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [camelCase(key), toFields(part)]));
}

/** An unknown length-delimited field of about `size` bytes. */
function padding(size: number): Buffer {
  return Buffer.concat([varint(PADDING_FIELD * 8 + 2), varint(size), Buffer.alloc(size)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}
