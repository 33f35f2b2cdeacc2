import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Account } from '../../base/input/account.js';
import type { Connections, OpenConnection } from './connections.js';

/** Bytes of a call in addition to its headers and messages: the objects of HTTP/2 and gRPC. */
const CALL = 4096;

const HELD = Symbol('held');

interface Held {
  readonly connection: OpenConnection;
  bytes: number;
}

type Marked = { [HELD]?: Held };

/**
 * Counts the bytes that calls hold until they end: of requests, finished or not, and of unread replies. At the limit,
 * it resets the connection that holds the most: a client that sends messages without end, or never reads, loses its own
 * connection instead of filling the server's memory.
 */
export class InFlight {
  readonly #connections: Connections;
  readonly #account: Account;

  constructor(connections: Connections, account: Account) {
    this.#connections = connections;
    this.#account = account;
  }

  /** Counts a stream from its headers to its end. Call it before the stream is read. */
  follow(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const connection = stream.session && this.#connections.ofSession(stream.session as never);
    if (connection === undefined) return;
    const held: Held = { connection, bytes: 0 };
    (stream as Marked)[HELD] = held;
    this.#connections.begin(connection);
    this.#add(held, CALL + sizeOf(headers));
    stream.on('data', (chunk: Buffer) => this.#add(held, chunk.length));
    stream.once('close', () => {
      connection.hasSent = true;
      this.#connections.end(connection);
      this.#add(held, -held.bytes);
    });
  }

  /** Counts bytes until the stream ends. False if the stream or its connection has ended already. */
  hold(stream: ServerHttp2Stream | undefined, bytes: number): boolean {
    const held = (stream as Marked | undefined)?.[HELD];
    if (stream?.destroyed) return false;
    if (held === undefined) return true;
    held.connection.hasSent = true;
    this.#add(held, bytes);
    return !held.connection.isCut;
  }

  #add(held: Held, bytes: number): void {
    const { connection } = held;
    while (!connection.isCut && !this.#account.take(bytes)) this.#cutGreatest(connection);
    if (connection.isCut) return;
    held.bytes += bytes;
    connection.held += bytes;
  }

  /** Resets the connection that holds the most; the given one if none holds anything. */
  #cutGreatest(asking: OpenConnection): void {
    let greatest = asking;
    for (const connection of this.#connections.open)
      if (connection.held > greatest.held) greatest = connection;
    const { held } = greatest;
    this.#account.take(-held);
    this.#connections.cut(
      greatest,
      `reset: calls hold all memory that they may have (${this.#account.limit} bytes at most), and those of this connection ${held}`,
    );
  }
}

/** Counts characters of names and values: a client can send many in few bytes, because HTTP/2 compresses them. */
function sizeOf(headers: IncomingHttpHeaders): number {
  let size = 0;
  for (const name in headers) size += name.length + (headers[name]?.length ?? 0);
  return size;
}
