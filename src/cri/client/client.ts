import { allMethods, type CriMethod } from '../methods.js';
import type { CriMethodName, CriMethods, CriRequest, CriResponse } from '../service.js';

/** A message of which any field may be left out, at any depth. */
export type Partially<T> = T extends Uint8Array | bigint | string | number | boolean | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Partially<Item>[]
    : { readonly [Field in keyof T]?: Partially<T[Field]> | undefined };

/** The options of one call. */
export interface CallOptions {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Deadline in ms from now; none by default. */
  readonly timeout?: number | undefined;
  /** Request headers; names that end in `-bin` are not supported. A call in process has none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * A CRI endpoint as its callers see it: one method for each RPC. Requests may leave fields out. Failures are
 * `CallError`. Replies must not be changed: an unchanged reply is decoded only once.
 */
export type CriClient = {
  [M in CriMethodName]: (
    request: Partially<CriRequest<M>>,
    options?: CallOptions,
  ) => CriMethods[M]['responseStream'] extends true ? AsyncIterable<CriResponse<M>> : Promise<CriResponse<M>>;
};

/** Carries calls to a service. */
export interface Transport {
  /** `request` is complete. */
  unary(method: CriMethod, request: object, options: CallOptions): Promise<object>;
  /** `request` is complete. */
  stream(method: CriMethod, request: object, options: CallOptions): AsyncIterable<object>;
}

/** A client that makes its calls over a transport. */
export function createClient(transport: Transport): CriClient {
  const entries = allMethods.map((method) => {
    const call = method.stream ? transport.stream.bind(transport) : transport.unary.bind(transport);
    const send = (request: object, options: CallOptions = {}) =>
      call(method, method.completeRequest(request), options);
    return [method.key, send];
  });
  return Object.fromEntries(entries) as CriClient;
}

// Declared as methods, whose parameters TypeScript compares both ways: so each RPC's method is one of these.
interface Send {
  unary(request: object, options?: CallOptions): Promise<object>;
  stream(request: object, options?: CallOptions): AsyncIterable<object>;
}

/** A transport that makes its calls with another client: what wraps all calls of a client goes around it. */
export function transportOf(client: CriClient): Transport {
  return {
    unary: ({ key }, request, options) => (client[key] as Send['unary'])(request, options),
    stream: ({ key }, request, options) => (client[key] as Send['stream'])(request, options),
  };
}
