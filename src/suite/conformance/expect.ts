import { codeName } from '../../cri/status-code.js';
import { Violation } from './violation.js';

export interface RpcFailure {
  readonly code: number;
  readonly details: string;
}

/** Whether an error comes from an RPC, and not from a defect in the suite. */
export function isRpcFailure(error: unknown): error is RpcFailure & Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

/** A short text for reports: sorts keys, because maps have no order, and truncates long values. */
export function show(value: unknown, limit = 400): string {
  const text = JSON.stringify(value, plain) ?? String(value);
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length} characters)` : text;
}

/** Values that JSON cannot represent: bigints in full, and only the length of bytes. */
function plain(_: string, part: unknown): unknown {
  if (typeof part === 'bigint') return Number.isSafeInteger(Number(part)) ? Number(part) : String(part);
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
  if ('type' in part && part.type === 'Buffer' && 'data' in part && Array.isArray(part.data))
    return `${part.data.length} bytes`;
  return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Throws a Violation unless the condition is true. */
export function must(condition: boolean, expected: string, received: unknown): asserts condition {
  if (!condition) throw new Violation(expected, typeof received === 'string' ? received : show(received));
}

/** Throws a Violation unless both have the same text. */
export function mustEqual(received: unknown, expected: unknown, what: string): void {
  const [left, right] = [show(received, Number.POSITIVE_INFINITY), show(expected, Number.POSITIVE_INFINITY)];
  if (left !== right) throw new Violation(`${what} = ${show(expected)}`, show(received));
}

/** Expects a call to fail; with `codes`, with one of these codes. Returns the failure. */
export async function mustFail(
  call: Promise<unknown>,
  what: string,
  codes?: readonly number[],
): Promise<RpcFailure> {
  let reply: unknown;
  try {
    reply = await call;
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    if (codes && !codes.includes(error.code)) {
      throw new Violation(`${what} to fail with ${codes.map(codeName).join(' or ')}`, describeFailure(error));
    }
    return error;
  }
  throw new Violation(
    `${what} to be rejected${codes ? ` with ${codes.map(codeName).join(' or ')}` : ''}`,
    `OK ${show(reply)}`,
  );
}

export async function mustWork<T>(call: Promise<T>, what: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    throw new Violation(`${what} to be OK`, describeFailure(error));
  }
}

/** Text of a failed call in reports: `NOT_FOUND: no such container`. */
export const describeFailure = (failure: RpcFailure): string =>
  `${codeName(failure.code)}: ${failure.details}`;
