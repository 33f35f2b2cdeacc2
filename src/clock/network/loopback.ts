import { Duplex } from 'node:stream';
import type { Release } from '../release.js';

/**
 * TCP between programs that share one clock. A socket's bytes lie in the kernel for as long as the machine
 * likes, and belong to nobody meanwhile; here they arrive before the event loop turns, so that what happens
 * at an instant has happened before a virtual clock moves on, however busy the machine is. Only time that a program
 * takes on the clock passes between a question and its answer.
 */
export interface Loopback {
  /** Takes connections to a port of an address; 0 takes a free one. Throws EADDRINUSE. */
  listen(address: string, port: number, accept: (connection: LoopbackSocket) => void): OpenPort;
  /** A connection that is open already. Throws ECONNREFUSED if nobody on this clock listens there. */
  connect(address: string, port: number): LoopbackSocket;
}

/** A port that somebody listens on. */
export interface OpenPort {
  readonly port: number;
  readonly close: Release;
}

/** Where the kernel begins to give out ports. */
const FIRST_PORT = 32_768;
const LAST_PORT = 60_999;

/** What lies unread at a receiver before its sender has to wait, in bytes. */
const WINDOW = 1024 * 1024;

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Makes a loopback network in this process. A client's port is the next one of the kernel's range, so that runs repeat. */
export function createLoopback(): Loopback {
  const listening = new Map<string, (connection: LoopbackSocket) => void>();
  let nextPort = FIRST_PORT;

  const ephemeralPort = (): number => {
    const port = nextPort;
    nextPort = port === LAST_PORT ? FIRST_PORT : port + 1;
    return port;
  };

  return {
    listen: (address, asked, accept) => {
      const port = asked === 0 ? ephemeralPort() : asked;
      const key = `${address}:${port}`;
      if (listening.has(key)) throw socketError('listen', 'EADDRINUSE', `: address already in use ${key}`);
      listening.set(key, accept);
      return {
        port,
        close: () => {
          if (listening.get(key) === accept) listening.delete(key);
        },
      };
    },
    connect: (address, port) => {
      const accept = listening.get(`${address}:${port}`);
      if (accept === undefined) throw socketError('connect', 'ECONNREFUSED', ` ${address}:${port}`);
      const source = { address: '127.0.0.1', port: ephemeralPort() };
      const target = { address, port };
      const client = new LoopbackSocket(source, target);
      const server = new LoopbackSocket(target, source);
      client.peer = server;
      server.peer = client;
      process.nextTick(accept, server);
      return client;
    },
  };
}

/** As Node's sockets have it: `connect ECONNREFUSED 127.0.0.1:80`. */
export const socketError = (syscall: string, code: string, where = ''): Error =>
  Object.assign(new Error(`${syscall} ${code}${where}`), { code, syscall });

/** One end of a connection. */
export class LoopbackSocket extends Duplex {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  peer: LoopbackSocket | undefined;
  #isOver = false;
  /** Bytes whose notification is pending. */
  #underWay = 0;
  /** Lets the peer continue when the buffer has space. */
  #room: (() => void) | undefined;

  constructor(local: Endpoint, remote: Endpoint) {
    super({ readableHighWaterMark: WINDOW });
    this.localAddress = local.address;
    this.localPort = local.port;
    this.remoteAddress = remote.address;
    this.remotePort = remote.port;
  }

  /** For net.Socket's users: it never keeps the process alive. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    const room = this.#room;
    this.#room = undefined;
    room?.();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    const { peer } = this;
    if (peer === undefined || peer.destroyed) {
      // The kernel takes the bytes; the reset that they cause is read.
      done(socketError('read', 'ECONNRESET'));
      return;
    }
    peer.#receive(chunk);
    if (peer.#underWay + peer.readableLength < WINDOW) done();
    else peer.#room = () => process.nextTick(done);
  }

  override _final(done: () => void): void {
    this.#hangUp();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#hangUp();
    this._read();
    done(error);
  }

  #hangUp(): void {
    if (this.peer !== undefined) this.peer.#receive(null);
  }

  #receive(chunk: Buffer | null): void {
    const bytes = chunk?.length ?? 0;
    this.#underWay += bytes;
    process.nextTick(() => {
      this.#underWay -= bytes;
      if (this.#isOver || this.destroyed) return;
      this.#isOver = chunk === null;
      this.push(chunk);
    });
  }
}
