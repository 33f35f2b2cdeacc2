import { constants, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { sessionOf } from './grpc-js-internals.js';

/** Where a socket keeps its connection: http2 shows its socket only through a proxy, which no map can be keyed by. */
const CONNECTION = Symbol('connection');

/** A client's connection, as calls and rules know it. */
export interface Connection {
  /** From 1, over the server's life; 0 if it is unknown. */
  readonly number: number;
  /** As the log and the history show it: `127.0.0.1:40312`, or `unix#3` for a socket, whose peers have no address. */
  readonly peer: string;
}

interface OpenConnection extends Connection {
  readonly socket: Socket;
  session: ServerHttp2Session | undefined;
}

const UNKNOWN: Connection = { number: 0, peer: 'unknown' };

type Marked = { readonly [CONNECTION]?: OpenConnection; readonly stream?: Marked } | undefined;

/** HTTP/2 wraps a stream that is no socket. */
function connectionOf(wire: object): OpenConnection | undefined {
  const marked = wire as Marked;
  return marked?.[CONNECTION] ?? marked?.stream?.[CONNECTION];
}

/** Called when a client has connected, and when its connection is gone. */
export type OnConnection = (connection: Connection, what: 'opened' | 'lost') => void;

/** The connections that are open. */
export class Connections {
  readonly #open = new Map<number, OpenConnection>();
  readonly #bySession = new WeakMap<ServerHttp2Session, Connection>();
  readonly #onChange: OnConnection | undefined;
  #count = 0;

  constructor(onChange?: OnConnection) {
    this.#onChange = onChange;
  }

  add(socket: Socket): Connection {
    const number = ++this.#count;
    const { remoteAddress, remotePort } = socket;
    const peer = remoteAddress === undefined ? `unix#${number}` : `${remoteAddress}:${remotePort}`;
    const connection: OpenConnection = { number, peer, socket, session: undefined };
    this.#open.set(number, connection);
    Object.defineProperty(socket, CONNECTION, { value: connection });
    this.#onChange?.(connection, 'opened');
    socket.once('close', () => {
      this.#open.delete(number);
      this.#onChange?.(connection, 'lost');
    });
    return connection;
  }

  /** Another stream takes the socket's place on the way to HTTP/2. */
  replace<S extends Duplex>(number: number, wire: S): S {
    Object.defineProperty(wire, CONNECTION, { value: this.#open.get(number) });
    return wire;
  }

  get size(): number {
    return this.#open.size;
  }

  /** Which connection a grpc-js call came in on. */
  of(call: object): Connection {
    const session = sessionOf(call);
    if (session === undefined) return UNKNOWN;
    const known = this.#bySession.get(session);
    if (known !== undefined) return known;
    const connection = connectionOf(session.socket);
    if (connection === undefined) return UNKNOWN;
    connection.session = session;
    this.#bySession.set(session, connection);
    return connection;
  }

  /** `reset` drops the connection with everything on it; `goaway` lets the calls under way end. */
  disconnect(number: number, how: 'reset' | 'goaway'): void {
    const connection = this.#open.get(number);
    if (connection === undefined) return;
    const { session, socket } = connection;
    if (how === 'goaway' && session !== undefined) {
      session.goaway(constants.NGHTTP2_NO_ERROR);
      session.close();
    } else if (socket.remoteAddress !== undefined) socket.resetAndDestroy();
    else socket.destroy();
  }

  disconnectAll(how: 'reset' | 'goaway'): void {
    for (const number of [...this.#open.keys()]) this.disconnect(number, how);
  }
}
