import { isObject } from '../../../base/input/object.js';
import { nearest } from '../../../base/input/suggest.js';
import { camelCase } from '../../../cri/field-name.js';
import { type MessageType, messageTypeOf } from '../../../cri/messages.js';
import type { CriMethod } from '../../../cri/methods.js';

export const requestType = (method: Pick<CriMethod, 'name'>): MessageType =>
  messageTypeOf(method.name, 'Request');
export const responseType = (method: Pick<CriMethod, 'name'>): MessageType =>
  messageTypeOf(method.name, 'Response');

export const patchOperations: Readonly<Record<string, (present: number, operand: number) => number>> = {
  $add: (present, operand) => present + operand,
  $multiply: (present, operand) => present * operand,
  $divide: (present, operand) => present / operand,
};

export interface UnknownField {
  readonly path: readonly string[];
  readonly near: string | undefined;
  readonly allowed: readonly string[];
}

export type FieldsType = Pick<MessageType, 'fromPartial'>;

/** Returns the first path of a partial message that the type doesn't have; values may be `operations`. */
export function findUnknownField(
  type: FieldsType,
  partial: Readonly<Record<string, unknown>>,
  operations: readonly string[] = [],
): UnknownField | undefined {
  return compare(partial, (message) => type.fromPartial(message), [], operations);
}

/** `make` creates the message to compare with `partial`: only an instance of generated code shows the fields. */
function compare(
  partial: object,
  make: (message: object) => object,
  path: readonly string[],
  operations: readonly string[],
): UnknownField | undefined {
  const message = make({}) as Readonly<Record<string, unknown>>;
  const allowed = Object.keys(message);
  // A map, or the operand of a computation: any key is allowed.
  if (allowed.length === 0 && path.length > 0) return undefined;
  for (const [key, part] of Object.entries(partial)) {
    const name = camelCase(key);
    if (!Object.hasOwn(message, name)) return { path: [...path, key], near: nearest(name, allowed), allowed };
    if (isScalar(message[name])) {
      const [wrong] = isObject(part) ? Object.keys(part).filter((each) => !operations.includes(each)) : [];
      if (wrong === undefined) continue;
      return { path: [...path, key, wrong], near: nearest(wrong, operations), allowed: operations };
    }
    const isList = Array.isArray(message[name]);
    const makePart = (inner: object): object => {
      const made = (make({ [name]: isList ? [inner] : inner }) as typeof message)[name];
      return (isList ? (made as object[])[0] : made) as object;
    };
    for (const element of [part].flat()) {
      if (!isObject(element)) continue;
      const problem = compare(element, makePart, [...path, key], operations);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

const isScalar = (value: unknown): boolean =>
  value !== undefined && (typeof value !== 'object' || Buffer.isBuffer(value));
