import { ImageServiceService, RuntimeServiceService } from './gen/runtime/v1/api.js';

/** Every RPC of CRI v1 with its path, direction and codecs, by its name in camel case. */
export const criMethods = { ...RuntimeServiceService, ...ImageServiceService } as const;

/** The RPCs by name. */
export type CriMethods = typeof criMethods;
/** `runPodSandbox`, `listImages` and so on. */
export type CriMethodName = keyof CriMethods;

/** A reply that is already in its wire form; it is sent as it is. */
export type Encoded = Buffer;

/** What an implementation knows of a call in addition to its request. */
export interface Call {
  /** Aborts when the client cancels, goes away or its deadline passes. */
  readonly signal: AbortSignal;
  /** When the client gives up, in Unix nanoseconds; undefined without a deadline. */
  readonly deadline: bigint | undefined;
  /** The wire that the call came in on; undefined for a call made in process. */
  readonly transport?: CallTransport | undefined;
  /** What a slow runtime waits for while it makes a pod or a container, whose name it holds; it continues when the client has gone. */
  whileMaking?(): Promise<void>;
  /** Takes trailers of a call made in process; undefined when nobody reads them. */
  addTrailer?(name: string, value: string | Buffer): void;
}

/** What can be done to a call's connection in addition to an answer. */
export interface CallTransport {
  /** Numbers the connection, from 1, over the server's life. */
  readonly connection: number;
  /** As the log and the call history show it. */
  readonly peer: string;
  /** What the request came with, for an implementation that forwards them. */
  readonly forwarded?: ForwardedCall | undefined;
  /** Sent with the status, whatever it is. Several values of one name are all sent; names in `-bin` take bytes. */
  addTrailer(name: string, value: string | Buffer): void;
  /** Ends this call alone with RST_STREAM and an HTTP/2 error code; false if the wire can't be reached. */
  reset(http2Code: number): boolean;
  /** Breaks the whole connection, at once, or after the calls under way with GOAWAY. */
  disconnect(how: 'reset' | 'goaway'): void;
}

/** Request headers, such as grpc-js's `Metadata`. */
export interface CallHeaders {
  /** The names are its keys. */
  getMap(): Readonly<Record<string, string | Buffer>>;
  /** All values of a name; names in `-bin` have bytes. */
  get(name: string): readonly (string | Buffer)[];
}

/** A call as it came in, for an implementation that forwards it. */
export interface ForwardedCall {
  /** The very bytes that `request` came in as; undefined for another object, such as one that a rule made. */
  bytesOf(request: object): Encoded | undefined;
  readonly metadata: CallHeaders;
  /** When the client gives up, in Unix milliseconds of real time; undefined without a deadline. */
  readonly realDeadline: number | undefined;
}

type Awaitable<T> = T | Promise<T>;

/** The request of an RPC. */
export type CriRequest<M extends CriMethodName> = ReturnType<CriMethods[M]['requestDeserialize']>;
/** The reply of an RPC, or one message of its stream. */
export type CriResponse<M extends CriMethodName> = ReturnType<CriMethods[M]['responseDeserialize']>;

/** An implementation of the CRI: one function an RPC, streams as async iterables. */
export type CriService = {
  [M in CriMethodName]: CriMethods[M]['responseStream'] extends true
    ? (request: CriRequest<M>, call: Call) => AsyncIterable<CriResponse<M> | Encoded>
    : (request: CriRequest<M>, call: Call) => Awaitable<CriResponse<M> | Encoded>;
};
