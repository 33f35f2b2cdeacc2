import { type MessageType, messageTypeOf } from '../cri/messages.js';
import { nearest } from '../input/suggest.js';
import type { MethodFacts } from './methods.js';

/** The message that a method takes. */
export const requestType = (method: MethodFacts): MessageType => messageTypeOf(method.name, 'Request');
/** The message that a method answers with. */
export const responseType = (method: MethodFacts): MessageType => messageTypeOf(method.name, 'Response');

/** `pod_sandbox_id` and `podSandboxId` are the same field; rules may use either. */
export function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A path in a rule that no message has, with the field names that are there. */
export interface UnknownField {
  readonly path: readonly string[];
  readonly near: string | undefined;
  readonly allowed: readonly string[];
}

/** The first path of a partial message that the type doesn't have. */
export function findUnknownField(
  type: MessageType,
  partial: Readonly<Record<string, unknown>>,
): UnknownField | undefined {
  return compare(partial, type.fromPartial(skeleton(partial) as object), []);
}

/** The same shape with empty leaves: what `fromPartial` needs to show the fields of nested messages. */
function skeleton(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(skeleton);
  if (value === null || typeof value !== 'object') return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [camelCase(key), nested(part)]));
}

const nested = (part: unknown): unknown => (Array.isArray(part) ? [] : skeleton(part));

function compare(partial: object, message: object, path: readonly string[]): UnknownField | undefined {
  for (const [key, part] of Object.entries(partial)) {
    const name = camelCase(key);
    if (!(name in message)) {
      const allowed = Object.keys(message);
      return { path: [...path, key], near: nearest(name, allowed), allowed };
    }
    const inner = (message as Readonly<Record<string, unknown>>)[name];
    if (!isMessage(part) || !isMessage(inner) || Object.keys(inner).length === 0) continue;
    const problem = compare(part, inner, [...path, key]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const isMessage = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
