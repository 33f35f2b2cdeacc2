import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { breakSocket } from '../../base/network/treated-socket.js';
import { sessionOf } from './grpc-js-internals.js';

/** Property of a socket with its connection: http2 shows sockets through a proxy, which no map can be keyed by. */
const CONNECTION = Symbol('connection');

export interface Connection {
  /** Starts at 1 and increases over the server's life; 0 if it is unknown. */
  readonly number: number;
  /** For the log and the history: `127.0.0.1:40312`, or `unix#3` for a socket, whose peers have no address. */
  readonly peer: string;
}

export interface OpenConnection extends Connection {
  readonly socket: Socket;
  session: ServerHttp2Session | undefined;
  calls: number;
  /** Grows with each ended call: the smallest is the longest idle connection; negative before the first call. */
  lastUsed: number;
  /** Bytes of requests and replies in progress. */
  held: number;
  /** Set when it is closed because of a limit: its memory no longer counts. */
  isCut: boolean;
  /** Whether a header or message was begun since the last ping. */
  hasSent: boolean;
}

const UNKNOWN: Connection = { number: 0, peer: 'unknown' };

type Marked = { readonly [CONNECTION]?: OpenConnection; readonly stream?: Marked } | undefined;

/** HTTP/2 wraps a stream that is not a socket. */
function connectionOf(wire: object): OpenConnection | undefined {
  const marked = wire as Marked;
  return marked?.[CONNECTION] ?? marked?.stream?.[CONNECTION];
}

export type OnConnection = (connection: Connection, what: 'opened' | 'lost') => void;

/** Called with a reason when a connection is closed because of a limit. */
export type OnLimit = (message: string, peer: string) => void;

export interface ConnectionsOptions {
  readonly onChange?: OnConnection | undefined;
  /** Connections at a time. Default: no limit. */
  readonly most?: number | undefined;
  readonly onLimit?: OnLimit | undefined;
}

export class Connections {
  readonly #open = new Map<number, OpenConnection>();
  readonly #bySession = new WeakMap<ServerHttp2Session, OpenConnection>();
  readonly #options: ConnectionsOptions;
  #onEmpty: (() => void) | undefined;
  #count = 0;
  #uses = 0;

  constructor(options: ConnectionsOptions = {}) {
    this.#options = options;
  }

  /** Closes the connection and returns undefined if there are too many, and all others have calls in progress. */
  add(socket: Socket): Connection | undefined {
    if (!this.#makeRoom()) {
      socket.destroy();
      return undefined;
    }
    const number = ++this.#count;
    const { remoteAddress, remotePort } = socket;
    const peer = remoteAddress === undefined ? `unix#${number}` : `${remoteAddress}:${remotePort}`;
    const use = {
      calls: 0,
      lastUsed: number - Number.MAX_SAFE_INTEGER,
      held: 0,
      isCut: false,
      hasSent: false,
    };
    const connection: OpenConnection = { number, peer, socket, session: undefined, ...use };
    this.#open.set(number, connection);
    Object.defineProperty(socket, CONNECTION, { value: connection });
    this.#options.onChange?.(connection, 'opened');
    socket.once('close', () => {
      this.#open.delete(number);
      this.#options.onChange?.(connection, 'lost');
      this.#noticeEmpty();
    });
    return connection;
  }

  /** Replaces the socket by another stream on the way to HTTP/2. */
  replace<S extends Duplex>(number: number, wire: S): S {
    Object.defineProperty(wire, CONNECTION, { value: this.#open.get(number) });
    return wire;
  }

  get size(): number {
    return this.#open.size;
  }

  emptied(): Promise<void> {
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      this.#noticeEmpty();
    });
  }

  #noticeEmpty(): void {
    if (this.#open.size === 0) this.#onEmpty?.();
  }

  /** Oldest first. */
  get open(): Iterable<OpenConnection> {
    return this.#open.values();
  }

  of(call: object): Connection {
    const session = sessionOf(call);
    return (session && this.ofSession(session)) ?? UNKNOWN;
  }

  ofSession(session: ServerHttp2Session): OpenConnection | undefined {
    const known = this.#bySession.get(session);
    if (known !== undefined || session.destroyed) return known;
    const connection = connectionOf(session.socket);
    if (connection === undefined) return undefined;
    connection.session = session;
    this.#bySession.set(session, connection);
    return connection;
  }

  begin(connection: OpenConnection): void {
    connection.calls++;
  }

  end(connection: OpenConnection): void {
    connection.calls--;
    connection.lastUsed = ++this.#uses;
  }

  /** `reset` drops the connection with everything on it; `goaway` lets its calls complete. */
  disconnect(number: number, how: 'reset' | 'goaway'): void {
    const connection = this.#open.get(number);
    if (connection === undefined) return;
    const { session, socket } = connection;
    if (how === 'goaway' && session !== undefined) {
      session.goaway(constants.NGHTTP2_NO_ERROR);
      session.close();
    } else breakSocket(socket);
  }

  /** Drops a connection because of a limit. */
  cut(connection: OpenConnection, reason: string): void {
    const { number, peer } = connection;
    connection.isCut = true;
    this.#options.onLimit?.(reason, peer);
    this.disconnect(number, 'reset');
    this.#open.delete(number);
  }

  disconnectAll(how: 'reset' | 'goaway'): void {
    for (const number of [...this.#open.keys()]) this.disconnect(number, how);
  }

  /** If there are too many connections, closes the longest idle one. False if each has a running call. */
  #makeRoom(): boolean {
    const { most = Number.POSITIVE_INFINITY, onLimit } = this.#options;
    if (this.#open.size < most) return true;
    let idle: OpenConnection | undefined;
    for (const connection of this.#open.values())
      if (connection.calls === 0 && connection.lastUsed < (idle?.lastUsed ?? Number.POSITIVE_INFINITY))
        idle = connection;
    if (idle === undefined) onLimit?.(`refused: ${most} connections have calls in progress`, 'a new client');
    else this.cut(idle, `closed: more than ${most} connections, and this one is longest without a call`);
    return idle !== undefined;
  }
}
