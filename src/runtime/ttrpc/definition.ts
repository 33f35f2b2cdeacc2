import type { BinaryReader } from '@bufbuild/protobuf/wire';

export interface Codec<T> {
  encode(message: T): { finish(): Uint8Array };
  decode(bytes: Uint8Array | BinaryReader): T;
}

export interface MethodDefinition<Req = never, Res = unknown> {
  readonly name: string;
  readonly requestType: Codec<Req>;
  readonly responseType: Codec<Res>;
}

export interface ServiceDefinition {
  readonly fullName: string;
  // biome-ignore lint/suspicious/noExplicitAny: a table of methods, each with its own messages.
  readonly methods: Readonly<Record<string, MethodDefinition<any, any>>>;
}

export type RequestOf<M> = M extends { readonly requestType: Codec<infer Req> } ? Req : never;
export type ResponseOf<M> = M extends { readonly responseType: Codec<infer Res> } ? Res : never;

export function encodeWith<T>(codec: Codec<T>, message: T): Buffer {
  const bytes = codec.encode(message).finish();
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
