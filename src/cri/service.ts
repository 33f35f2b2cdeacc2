import { ImageServiceService, RuntimeServiceService } from './gen/runtime/v1/api.js';
import { ownProto } from './own-proto/own-proto.js';

const shipped = { ...RuntimeServiceService, ...ImageServiceService } as const;

/**
 * Every RPC of CRI v1, and of the user's own api.proto, with its path, direction and codecs, by its name in camel case.
 */
export const criMethods: typeof shipped = { ...shipped, ...ownProto?.methods };

export type CriMethods = typeof criMethods;
/** `runPodSandbox`, `listImages` and so on. */
export type CriMethodName = keyof CriMethods;

/** A reply in wire form, which is sent unchanged. */
export type Encoded = Buffer;

export interface Call {
  /** Aborts when the client cancels, disconnects or its deadline passes. */
  readonly signal: AbortSignal;
  /** The client's deadline in Unix nanoseconds; undefined without one. */
  readonly deadline: bigint | undefined;
  /** The call's connection; undefined for a call in process. */
  readonly transport?: CallTransport | undefined;
  /** Delays a slow runtime while it creates an object under a reserved name, even after the client has disconnected. */
  whileMaking?(): Promise<void>;
  /** Adds a trailer to a call in process; undefined if no caller reads them. */
  addTrailer?(name: string, value: string | Buffer): void;
}

export interface CallTransport {
  /** Number of the connection, from 1, over the server's life. */
  readonly connection: number;
  /** In the format of the log and the call history. */
  readonly peer: string;
  /** The original request, for an implementation that forwards it. */
  readonly forwarded?: ForwardedCall | undefined;
  /** Sent with any status. Several values of one name are all sent; names in `-bin` take bytes. */
  addTrailer(name: string, value: string | Buffer): void;
  /** Ends this call alone with RST_STREAM and an HTTP/2 error code; false if the wire can't be reached. */
  reset(http2Code: number): boolean;
  /** Breaks the whole connection, immediately, or with GOAWAY after its running calls. */
  disconnect(how: 'reset' | 'goaway'): void;
}

export interface CallHeaders {
  getMap(): Readonly<Record<string, string | Buffer>>;
  /** All values of a name; names in `-bin` have bytes. */
  get(name: string): readonly (string | Buffer)[];
}

export interface ForwardedCall {
  /** The received bytes of `request`; undefined for another object, such as one that a rule created. */
  bytesOf(request: object): Encoded | undefined;
  readonly metadata: CallHeaders;
  /** The client's deadline in Unix milliseconds of real time; undefined without one. */
  readonly realDeadline: number | undefined;
}

type Awaitable<T> = T | Promise<T>;

export type CriRequest<M extends CriMethodName> = ReturnType<CriMethods[M]['requestDeserialize']>;
/** For a stream, one of its messages. */
export type CriResponse<M extends CriMethodName> = ReturnType<CriMethods[M]['responseDeserialize']>;

export type CriService = {
  [M in CriMethodName]: CriMethods[M]['responseStream'] extends true
    ? (request: CriRequest<M>, call: Call) => AsyncIterable<CriResponse<M> | Encoded>
    : (request: CriRequest<M>, call: Call) => Awaitable<CriResponse<M> | Encoded>;
};
