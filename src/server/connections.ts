import type { Socket } from 'node:net';
import type { Http2ServerConnection } from './wire/connection.js';

export interface Connection {
  /** From 1, over the server's life. */
  readonly number: number;
  /** As the log and the history show it: `127.0.0.1:40312`, or `unix#3` for a socket, whose peers have no address. */
  readonly peer: string;
}

/** A connection as its server keeps it. */
export interface OpenConnection extends Connection {
  readonly socket: Socket;
  /** Undefined until the client has begun with HTTP/2. */
  http2: Http2ServerConnection | undefined;
}

/** The connections that are open. */
export class Connections {
  readonly #open = new Map<number, OpenConnection>();
  #count = 0;
  #emptied: (() => void)[] = [];

  add(socket: Socket): OpenConnection {
    const number = ++this.#count;
    const { remoteAddress, remotePort } = socket;
    const peer = remoteAddress === undefined ? `unix#${number}` : `${remoteAddress}:${remotePort}`;
    const connection: OpenConnection = { number, peer, socket, http2: undefined };
    this.#open.set(number, connection);
    socket.once('close', () => {
      this.#open.delete(number);
      if (this.#open.size === 0) for (const resolve of this.#emptied.splice(0)) resolve();
    });
    return connection;
  }

  get size(): number {
    return this.#open.size;
  }

  /** `reset` drops the connection with everything on it; `goaway` lets the calls under way end. */
  disconnect(number: number, how: 'reset' | 'goaway'): void {
    const connection = this.#open.get(number);
    if (connection === undefined) return;
    const { http2, socket } = connection;
    if (how === 'goaway' && http2 !== undefined) http2.leave();
    else if (socket.remoteAddress !== undefined) socket.resetAndDestroy();
    else socket.destroy();
  }

  disconnectAll(how: 'reset' | 'goaway'): void {
    for (const number of [...this.#open.keys()]) this.disconnect(number, how);
  }

  /** Resolves once none is open. */
  async untilEmpty(): Promise<void> {
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => this.#emptied.push(resolve));
  }
}
