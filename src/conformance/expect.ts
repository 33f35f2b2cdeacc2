import { status as Code } from '@grpc/grpc-js';
import { Violation } from './violation.js';

/** A gRPC error as the client throws it. */
export interface RpcFailure {
  readonly code: number;
  readonly details: string;
}

/** Whether an error is an RPC's, and not a defect of the suite. */
export function isRpcFailure(error: unknown): error is RpcFailure & Error {
  return error instanceof Error && 'code' in error && typeof error.code === 'number' && 'details' in error;
}

/** A short rendering for reports: keys sorted, since maps have no order, and long values cut. */
export function show(value: unknown, limit = 400): string {
  const text = JSON.stringify(value, plain) ?? String(value);
  return text.length > limit ? `${text.slice(0, limit)}… (${text.length} characters)` : text;
}

/** What JSON can't say: bigints are written in full, of bytes only the number. */
function plain(_: string, part: unknown): unknown {
  if (typeof part === 'bigint') return Number.isSafeInteger(Number(part)) ? Number(part) : String(part);
  if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
  if ('type' in part && part.type === 'Buffer' && 'data' in part && Array.isArray(part.data))
    return `${part.data.length} bytes`;
  return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Throws a Violation unless the condition holds. */
export function must(condition: boolean, expected: string, received: unknown): asserts condition {
  if (!condition) throw new Violation(expected, typeof received === 'string' ? received : show(received));
}

/** Throws a Violation unless both render the same. */
export function mustEqual(received: unknown, expected: unknown, what: string): void {
  const [left, right] = [show(received, Number.POSITIVE_INFINITY), show(expected, Number.POSITIVE_INFINITY)];
  if (left !== right) throw new Violation(`${what} = ${show(expected)}`, show(received));
}

/** The failure of a call that must fail; with `codes`, it must be one of them. */
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
    `${what} to be refused${codes ? ` with ${codes.map(codeName).join(' or ')}` : ''}`,
    `OK ${show(reply)}`,
  );
}

/** The reply of a call that must not fail. */
export async function mustWork<T>(call: Promise<T>, what: string): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    throw new Violation(`${what} to be OK`, describeFailure(error));
  }
}

/** The name of a gRPC code; the number of one that has none. */
export const codeName = (code: number): string => Code[code] ?? String(code);

/** A failed call as reports tell it: `NOT_FOUND: no such container`. */
export const describeFailure = (failure: RpcFailure): string =>
  `${codeName(failure.code)}: ${failure.details}`;
