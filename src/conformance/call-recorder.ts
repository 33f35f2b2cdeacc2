import type { Clock } from '../clock/clock.js';
import { type CallOptions, type CriClient, createClient, transportOf } from '../cri/client/client.js';
import { Code } from '../cri/status-code.js';
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
  const bound = ({ signal: own, ...rest }: CallOptions): CallOptions => ({
    ...rest,
    signal: own ? AbortSignal.any([own, signal]) : signal,
  });
  const transport = transportOf(client);
  const cri = createClient({
    unary: async (method, request, options) => {
      const record = note(method.name, request);
      try {
        const reply = await transport.unary(method, request, bound(options));
        finish(record, `OK ${show(reply)}`);
        return reply;
      } catch (error) {
        finish(record, isRpcFailure(error) ? `${Code[error.code]}: ${error.details}` : String(error));
        throw error;
      }
    },
    stream: (method, request, options) => {
      note(method.name, request).outcome = 'stream opened';
      return transport.stream(method, request, bound(options));
    },
  });
  return { cri, calls };
}
