import { messageTypeOf, rpcName } from './messages.js';
import { type CriMethodName, criMethods } from './service.js';

export interface CriMethod {
  /** `startContainer` */
  readonly key: CriMethodName;
  /** `StartContainer` */
  readonly name: string;
  /** `/runtime.v1.RuntimeService/StartContainer` */
  readonly path: string;
  /** Whether the server returns a stream of messages. */
  readonly stream: boolean;
  completeRequest(partial: object): object;
  encodeRequest(request: object): Buffer;
  encodeReply(reply: object): Buffer;
  decodeReply(bytes: Buffer): object;
}

/** The generated definition of an RPC, without its message types. */
interface Definition {
  readonly path: string;
  readonly responseStream: boolean;
  requestSerialize(request: object): Buffer;
  requestDeserialize(bytes: Buffer): object;
  responseSerialize(reply: object): Buffer;
  responseDeserialize(bytes: Buffer): object;
}

/** All RPCs of both services, in the order of api.proto. */
export const allMethods: readonly CriMethod[] = Object.entries(criMethods).map(([key, definition]) =>
  describe(key as CriMethodName, definition),
);

function describe(key: CriMethodName, definition: Definition): CriMethod {
  const name = rpcName(definition.path);
  const requestType = messageTypeOf(name, 'Request');
  return {
    key,
    name,
    path: definition.path,
    stream: definition.responseStream,
    completeRequest: (partial) => requestType.fromPartial(partial),
    encodeRequest: definition.requestSerialize,
    encodeReply: definition.responseSerialize,
    decodeReply: definition.responseDeserialize,
  };
}
