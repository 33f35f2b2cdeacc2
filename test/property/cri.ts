import type { Partially } from '../../src/cri/client/client.js';
import { messageTypeOf, rpcName } from '../../src/cri/messages.js';
import {
  type Call,
  type CriMethodName,
  type CriRequest,
  type CriResponse,
  type CriService,
  criMethods,
} from '../../src/cri/service.js';

interface Options {
  readonly signal?: AbortSignal;
  readonly deadline?: bigint;
}

/** A CRI endpoint for tests: requests can omit fields, replies are decoded, streams are lists. */
export type Cri = {
  [M in CriMethodName]: (
    request?: Partially<CriRequest<M>>,
    options?: Options,
  ) => Promise<CriMethods[M]['responseStream'] extends true ? CriResponse<M>[] : CriResponse<M>>;
};
type CriMethods = typeof criMethods;

interface Message {
  readonly requestDeserialize: (bytes: Buffer) => object;
  readonly requestSerialize: (message: never) => Buffer;
  readonly responseSerialize: (message: never) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => object;
}

/** Calls a service like a server: with a decoded request, and accepts encoded and decoded replies. */
export function callDirectly(service: CriService): Cri {
  const call = (name: CriMethodName) => {
    const method = criMethods[name];
    const codec = method as unknown as Message;
    const decode = (reply: object) =>
      codec.responseDeserialize(Buffer.isBuffer(reply) ? reply : codec.responseSerialize(reply as never));
    const serve = service[name] as (request: object, call: Call) => object;
    return async (given: object = {}, { signal, deadline }: Options = {}) => {
      const request = codec.requestDeserialize(
        codec.requestSerialize(messageTypeOf(rpcName(method.path), 'Request').fromPartial(given) as never),
      );
      const reply = serve(request, { signal: signal ?? new AbortController().signal, deadline });
      if (!method.responseStream) return decode(await reply);
      const messages: object[] = [];
      for await (const message of reply as AsyncIterable<object>) messages.push(decode(message));
      return messages;
    };
  };
  const names = Object.keys(criMethods) as CriMethodName[];
  return Object.fromEntries(names.map((name) => [name, call(name)])) as unknown as Cri;
}
