import { allMethods, type CriMethod } from '../methods.js';
import type { CriMethodName, CriMethods, CriRequest, CriResponse } from '../service.js';

/** A message with all fields optional, at any depth. */
export type Partially<T> = T extends Uint8Array | bigint | string | number | boolean | undefined
  ? T
  : T extends readonly (infer Item)[]
    ? readonly Partially<Item>[]
    : { readonly [Field in keyof T]?: Partially<T[Field]> | undefined };

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Deadline in ms from now; none by default. */
  readonly timeout?: number | undefined;
  /** Request headers; names that end in `-bin` are not supported. A call in process has none. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/**
 * A CRI endpoint with one method for each RPC. Fields of requests are optional. Failures are `CallError`. Replies must
 * not be changed: an unchanged reply is decoded only once.
 */
export type CriClient = {
  [M in CriMethodName]: (
    request: Partially<CriRequest<M>>,
    options?: CallOptions,
  ) => CriMethods[M]['responseStream'] extends true ? AsyncIterable<CriResponse<M>> : Promise<CriResponse<M>>;
};

export interface Transport {
  /** `request` is complete. */
  unary(method: CriMethod, request: object, options: CallOptions): Promise<object>;
  /** `request` is complete. */
  stream(method: CriMethod, request: object, options: CallOptions): AsyncIterable<object>;
}

export function createClient(transport: Transport): CriClient {
  const entries = allMethods.map((method) => {
    const call = method.stream ? transport.stream.bind(transport) : transport.unary.bind(transport);
    const send = (request: object, options: CallOptions = {}) =>
      call(method, method.completeRequest(request), options);
    return [method.key, send];
  });
  return Object.fromEntries(entries) as CriClient;
}

// Methods, whose parameters TypeScript compares bivariantly: so each RPC's method is one of these.
interface Send {
  unary(request: object, options?: CallOptions): Promise<object>;
  stream(request: object, options?: CallOptions): AsyncIterable<object>;
}

/** A transport on top of another client: wraps all calls of the client. */
export function transportOf(client: CriClient): Transport {
  return {
    unary: ({ key }, request, options) => (client[key] as Send['unary'])(request, options),
    stream: ({ key }, request, options) => (client[key] as Send['stream'])(request, options),
  };
}
