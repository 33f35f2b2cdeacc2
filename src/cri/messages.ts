import type { BinaryReader } from '@bufbuild/protobuf/wire';
import * as api from './gen/runtime/v1/api.js';
import { ownProto } from './own-proto/own-proto.js';

export interface MessageType {
  fromPartial(value: object): object;
  encode(message: object): { finish(): Uint8Array };
  /** Takes bytes, or a reader of them that decodes strings in its own way. */
  decode(bytes: Uint8Array | BinaryReader): object;
  /** Protobuf's JSON form, in which 64-bit numbers are text and bytes are base64; omits default values. */
  toJSON(message: object): unknown;
  /** Reads `toJSON`'s form; ignores fields that don't fit the type. Throws for an invalid number. */
  fromJSON(json: object): object;
}

const exported = new Map<string, unknown>(Object.entries(api));
const isMessageType = (value: unknown): value is MessageType =>
  typeof value === 'object' && value !== null && 'fromPartial' in value;
/** By name: a module's own table is slow to look up by computed names. */
const known = { Request: new Map<string, MessageType>(), Response: new Map<string, MessageType>() };

/** The RPC's name in a path such as `/runtime.v1.RuntimeService/Version`. */
export const rpcName = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

for (const { path, requestType, responseType } of Object.values(ownProto?.methods ?? {})) {
  known.Request.set(rpcName(path), requestType);
  known.Response.set(rpcName(path), responseType);
}

export function messageTypeOf(rpc: string, direction: 'Request' | 'Response'): MessageType {
  const found = known[direction].get(rpc);
  if (found !== undefined) return found;
  const irregular = { Request: 'GetEventsRequest', Response: 'ContainerEventResponse' };
  const type = exported.get(rpc === 'GetContainerEvents' ? irregular[direction] : `${rpc}${direction}`);
  if (!isMessageType(type)) throw new Error(`no message type for ${rpc}'s ${direction.toLowerCase()}`);
  known[direction].set(rpc, type);
  return type;
}
