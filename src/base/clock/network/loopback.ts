import { Duplex } from 'node:stream';
import type { Release } from '../release.js';

/**
 * TCP between programs on one clock. A real socket's bytes wait in the kernel for an unknown time and belong to no
 * task; here they arrive before the event loop turns, so everything at an instant has happened before a virtual clock
 * moves on, however busy the machine is. Only time that a program spends on the clock passes between request and reply.
 */
export interface Loopback {
  /** Accepts connections to a port of an address; 0 selects a free port. Throws EADDRINUSE. */
  listen(address: string, port: number, accept: (connection: LoopbackSocket) => void): OpenPort;
  /** Returns an open connection. Throws ECONNREFUSED if no participant of this clock listens there. */
  connect(address: string, port: number): LoopbackSocket;
  /** Sockets of an address: listening ports, and its ends of connections. */
  socketsOf(address: string): readonly SocketState[];
}

/** A listening socket has no peer. */
export interface SocketState {
  readonly local: Endpoint;
  readonly remote: Endpoint | undefined;
}

export interface OpenPort {
  readonly port: number;
  readonly close: Release;
}

/** Address of the simulated node's ports: those of pods in its network, and host ports. */
export const NODE = '127.0.0.1';

const FIRST_PORT = 32_768;
const LAST_PORT = 60_999;

/** Unread bytes at a receiver above which its sender waits. */
const WINDOW = 1024 * 1024;
/** Overhead of a piece, in addition to its bytes. */
const PIECE = 128;
/** Unread bytes at all receivers above which a sender's connection breaks (ENOBUFS). */
const MOST_UNREAD = 128 * 1024 * 1024;
/** Open connections per port, like Linux's SOMAXCONN; the next one is refused. */
const MOST_CONNECTIONS = 4096;

export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

interface OpenedPort {
  readonly local: Endpoint;
  accept(connection: LoopbackSocket): void;
  connections: number;
}

/** A loopback network in this process. Client ports ascend in the kernel's range, so that runs repeat. */
export function createLoopback(): Loopback {
  const listening = new Map<string, OpenedPort>();
  const connected = new Set<LoopbackSocket>();
  const unread = { bytes: 0 };
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
      const made = { accept, local: { address, port }, connections: 0 };
      listening.set(key, made);
      return {
        port,
        close: () => {
          if (listening.get(key) === made) listening.delete(key);
        },
      };
    },
    connect: (address, port) => {
      const found = listening.get(`${address}:${port}`);
      if (found === undefined || found.connections === MOST_CONNECTIONS)
        throw socketError('connect', 'ECONNREFUSED', ` ${address}:${port}`);
      const source = { address: NODE, port: ephemeralPort() };
      const target = { address, port };
      const client = new LoopbackSocket(source, target, unread);
      const server = new LoopbackSocket(target, source, unread);
      client.peer = server;
      server.peer = client;
      found.connections++;
      server.once('close', () => found.connections--);
      for (const socket of [client, server]) {
        connected.add(socket);
        socket.once('close', () => connected.delete(socket));
      }
      process.nextTick(found.accept, server);
      return client;
    },
    socketsOf: (address) =>
      [
        ...[...listening.values()].map(({ local }) => ({ local, remote: undefined })),
        ...[...connected].map(({ localAddress, localPort, remoteAddress, remotePort }) => ({
          local: { address: localAddress, port: localPort },
          remote: { address: remoteAddress, port: remotePort },
        })),
      ].filter(({ local }) => local.address === address),
  };
}

/** Formats errors like Node's sockets: `connect ECONNREFUSED 127.0.0.1:80`. */
export const socketError = (syscall: string, code: string, where = ''): Error =>
  Object.assign(new Error(`${syscall} ${code}${where}`), { code, syscall });

export class LoopbackSocket extends Duplex {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  peer: LoopbackSocket | undefined;
  #isOver = false;
  /** Bytes whose notification is pending. */
  #underWay = 0;
  #pieces = 0;
  /** Unread bytes in the whole network, and here. */
  readonly #unread: { bytes: number };
  #own = 0;
  #room: (() => void) | undefined;

  constructor(local: Endpoint, remote: Endpoint, unread: { bytes: number }) {
    super({ readableHighWaterMark: WINDOW });
    this.#unread = unread;
    this.localAddress = local.address;
    this.localPort = local.port;
    this.remoteAddress = remote.address;
    this.remotePort = remote.port;
  }

  /** For users of net.Socket: it never keeps the process alive. */
  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {
    if (this.readableLength === 0) this.#pieces = 0;
    this.#count();
    const room = this.#room;
    this.#room = undefined;
    room?.();
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: (error?: Error) => void): void {
    const { peer } = this;
    if (peer === undefined || peer.destroyed) {
      // The kernel accepts the bytes; the resulting reset is read later.
      done(socketError('read', 'ECONNRESET'));
      return;
    }
    // A receiver that has read everything is not affected.
    if (peer.#own > 0 && this.#unread.bytes + chunk.length > MOST_UNREAD) {
      done(socketError('write', 'ENOBUFS'));
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
    this.#count();
    done(error);
  }

  #count(): void {
    const bytes = this.destroyed ? 0 : this.#underWay + this.readableLength;
    const own = bytes + PIECE * Math.min(this.#pieces, bytes);
    this.#unread.bytes += own - this.#own;
    this.#own = own;
  }

  #hangUp(): void {
    if (this.peer !== undefined) this.peer.#receive(null);
  }

  #receive(chunk: Buffer | null): void {
    const bytes = chunk?.length ?? 0;
    this.#underWay += bytes;
    this.#pieces++;
    this.#count();
    process.nextTick(() => {
      this.#underWay -= bytes;
      if (this.#isOver || this.destroyed) return;
      this.#isOver = chunk === null;
      this.push(chunk);
    });
  }
}
