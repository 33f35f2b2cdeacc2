import {
  type Call,
  type CriMethodName,
  type CriRequest,
  type CriResponse,
  type CriService,
  criMethods,
} from '../../src/cri/service.js';

type IsStream<M extends CriMethodName> = (typeof criMethods)[M]['responseStream'];

export type StreamName = { [M in CriMethodName]: IsStream<M> extends true ? M : never }[CriMethodName];
export type UnaryName = Exclude<CriMethodName, StreamName>;

/** A service with decoded replies that the caller may change. */
export type Decoded = {
  [M in UnaryName]: (request: CriRequest<M>, call: Call) => Promise<CriResponse<M>>;
} & {
  [M in StreamName]: (request: CriRequest<M>, call: Call) => AsyncIterable<CriResponse<M>>;
};

interface Codec {
  readonly responseStream: boolean;
  responseSerialize(message: unknown): Buffer;
  responseDeserialize(bytes: Buffer): unknown;
}

type Serve = (request: unknown, call: Call) => unknown;

export function decode(service: CriService): Decoded {
  const entries = Object.entries(criMethods).map(([name, method]) => {
    const codec = method as unknown as Codec;
    const serve = service[name as CriMethodName] as Serve;
    return [name, codec.responseStream ? stream(serve, codec) : unary(serve, codec)];
  });
  return Object.fromEntries(entries) as Decoded;
}

/** Decoded replies can be shared with the runtime, so they are copied. */
const copy = (reply: unknown, codec: Codec): unknown =>
  codec.responseDeserialize(Buffer.isBuffer(reply) ? reply : codec.responseSerialize(reply));

const unary = (serve: Serve, codec: Codec) => async (request: unknown, call: Call) =>
  copy(await serve(request, call), codec);

const stream = (serve: Serve, codec: Codec) =>
  async function* (request: unknown, call: Call) {
    for await (const message of serve(request, call) as AsyncIterable<unknown>) yield copy(message, codec);
  };
