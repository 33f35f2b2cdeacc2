import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { Code } from '../../cri/status-code.js';

// Private parts of grpc-js. If a release hides one, callers fall back (test/integration/server.test.ts notices).

interface Nested {
  readonly call?: InterceptingCall;
}

interface Reading {
  decoder: { write(data: Buffer): Buffer[] };
  /** Takes a message with its prefix; rejects with a gRPC status. */
  decompressMessage(message: Buffer, encoding: string): Buffer | Promise<Buffer>;
}

interface InterceptingCall extends Partial<Reading> {
  readonly stream?: ServerHttp2Stream;
  readonly nextCall?: InterceptingCall;
  /** Sends the status DEADLINE_EXCEEDED at the deadline. grpc-js clears it when the call ends. */
  deadlineTimer?: NodeJS.Timeout | null;
  sendStatus?(status: { code: number; details: string; metadata: null }): void;
}

function innermost(call: object): InterceptingCall | undefined {
  let inner = (call as Nested).call;
  while (inner?.stream === undefined && inner?.nextCall !== undefined) inner = inner.nextCall;
  return inner;
}

/** The HTTP/2 stream under a call. No public function resets a single call. */
export const wireStreamOf = (call: object): ServerHttp2Stream | undefined => innermost(call)?.stream;

export const sessionOf = (call: object): ServerHttp2Session | undefined =>
  wireStreamOf(call)?.session as ServerHttp2Session | undefined;

/** Replaces the reading of a call's requests before the first one; `read` is grpc-js' decompression. */
export function replaceReading(
  call: object,
  make: (stream: ServerHttp2Stream, read: Reading['decompressMessage']) => Reading,
): void {
  const own = call as InterceptingCall;
  if (own.stream === undefined || own.decoder === undefined || own.decompressMessage === undefined) return;
  Object.assign(own, make(own.stream, own.decompressMessage.bind(own)));
}

export const http2ServersOf = (grpc: object): Iterable<Http2Server> =>
  (grpc as { readonly http2Servers?: ReadonlyMap<Http2Server, unknown> }).http2Servers?.keys() ?? [];

/** Time in ms from the client's deadline to the server's reply. */
const DEADLINE_GRACE = 1000;

/**
 * Postpones the reply that grpc-js sends at a call's deadline. A runtime never replies at the deadline: the client
 * gives up first, with its own error text ("context deadline exceeded" of grpc-go), and resets the stream. The server's
 * reply would sometimes win this race. Only a client that does not reset the stream gets it. `timeLeft` is in ms.
 */
export function postponeDeadline(call: object, timeLeft: number): void {
  const inner = innermost(call);
  if (!inner?.deadlineTimer || inner.sendStatus === undefined) return;
  clearTimeout(inner.deadlineTimer);
  const late = () =>
    inner.sendStatus?.({ code: Code.DEADLINE_EXCEEDED, details: 'Deadline exceeded', metadata: null });
  // biome-ignore lint/style/noRestrictedGlobals: grpc-js clears its timer with clearTimeout.
  inner.deadlineTimer = setTimeout(late, Math.max(0, timeLeft) + DEADLINE_GRACE);
}
