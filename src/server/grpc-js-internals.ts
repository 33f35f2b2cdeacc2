import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';

/**
 * The HTTP/2 stream under a call of grpc-js. It is private there, and nothing public resets a single call; if a
 * release hides it, this answers undefined and callers fall back on what gRPC offers. `wire.test.ts` watches it.
 */
export function wireStreamOf(call: object): ServerHttp2Stream | undefined {
  let inner = (call as Nested).call;
  while (inner?.stream === undefined && inner?.nextCall !== undefined) inner = inner.nextCall;
  return inner?.stream;
}

interface Nested {
  readonly call?: InterceptingCall;
}

interface InterceptingCall {
  readonly stream?: ServerHttp2Stream;
  readonly nextCall?: InterceptingCall;
}

/** The HTTP/2 connection of a call; undefined as with `wireStreamOf`. */
export const sessionOf = (call: object): ServerHttp2Session | undefined =>
  wireStreamOf(call)?.session as ServerHttp2Session | undefined;
