import { status as Code } from '@grpc/grpc-js';
import type { Clock } from '../clock/clock.js';
import type { CriClient } from '../cri/client.js';
import { criMethods } from '../cri/service.js';
import { isRpcFailure, show } from './expect.js';

/** One call of a check. */
export interface RecordedCall {
  readonly method: string;
  readonly request: string;
  /** OK with the reply, or the code with its text; `…` while the call is in progress. */
  outcome: string;
  /** ms of the clock's `elapsed`, like `endedAt`. */
  readonly startedAt: number;
  endedAt: number | undefined;
}

/** Number of calls that a check's report keeps: only the last ones matter. */
const KEPT = 40;

/** Wraps the client and records every call, so that a failure can show requests and replies. */
export function recordCalls(
  client: CriClient,
  clock: Clock,
  signal: AbortSignal,
): { readonly cri: CriClient; readonly calls: RecordedCall[] } {
  const calls: RecordedCall[] = [];
  const note = (method: string, request: unknown): RecordedCall => {
    const record: RecordedCall = {
      method,
      request: show(request),
      outcome: '…',
      startedAt: clock.elapsed(),
      endedAt: undefined,
    };
    calls.push(record);
    if (calls.length > KEPT) calls.shift();
    return record;
  };
  const finish = (record: RecordedCall, outcome: string) => {
    record.outcome = outcome;
    record.endedAt = clock.elapsed();
  };

  // The end of the check cancels its calls.
  const bound = (options: unknown) => {
    const { signal: own, ...rest } = (options ?? {}) as { signal?: AbortSignal };
    return { ...rest, signal: own ? AbortSignal.any([own, signal]) : signal };
  };
  const cri = Object.create(client) as Record<string, unknown>;
  for (const [name, method] of Object.entries(criMethods)) {
    const rpc = method.path.slice(method.path.lastIndexOf('/') + 1);
    const call = (client as unknown as Record<string, (...given: unknown[]) => unknown>)[name] as (
      ...given: unknown[]
    ) => unknown;
    cri[name] = method.responseStream
      ? (request: unknown, options: unknown) => {
          note(rpc, request).outcome = 'stream opened';
          return call(request, bound(options));
        }
      : async (request: unknown, options: unknown) => {
          const record = note(rpc, request);
          try {
            const reply = await call(request, bound(options));
            finish(record, `OK ${show(reply)}`);
            return reply;
          } catch (error) {
            finish(record, isRpcFailure(error) ? `${Code[error.code]}: ${error.details}` : String(error));
            throw error;
          }
        };
  }
  return { cri: cri as unknown as CriClient, calls };
}
