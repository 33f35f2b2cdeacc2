import { Duplex } from 'node:stream';
import type { Release } from '../release.js';

/**
 * TCP between programs that share one virtual clock. A socket's bytes lie in the kernel for as long as the machine
 * likes, and belong to nobody meanwhile; here they arrive before the event loop turns, so that what happens
 * at an instant has happened before the clock moves on, however busy the machine is. Only time that a program takes
 * on the clock passes between a question and its answer.
 */
export interface Loopback {
  /** Says which addresses exist on this clock alone: whatever listens there outside is not reached. */
  claim(owns: (address: string) => boolean): void;
  /**
   * Takes connections to a port of an address; to one of any loopback address if it is `0.0.0.0` or `::`.
   * Throws EADDRINUSE.
   */
  listen(address: string, port: number, accept: (connection: LoopbackSocket) => void): Release;
  /**
   * A connection that is open already; undefined if nobody on this clock listens there. Throws ECONNREFUSED for an
   * address that is claimed.
   */
  connect(address: string, port: number): LoopbackSocket | undefined;
}

/** Where the kernel begins to give out ports to clients. */
const FIRST_PORT = 32_768;
const LAST_PORT = 60_999;

/** What lies unread at a receiver before its sender has to wait, in bytes. */
const WINDOW = 1024 * 1024;

interface Endpoint {
  readonly address: string;
  readonly port: number;
}

interface Listening {
  readonly accept: (connection: LoopbackSocket) => void;
}

/** Makes a loopback network in this process. A client's port is the next one of the kernel's range, so that runs repeat. */
export function createLoopback(): Loopback {
  const listening = new Map<string, Listening>();
  const claims: ((address: string) => boolean)[] = [];
  let nextPort = FIRST_PORT;

  const ephemeralPort = (): number => {
    const port = nextPort;
    nextPort = port === LAST_PORT ? FIRST_PORT : port + 1;
    return port;
  };

  const find = (address: string, port: number): Listening | undefined =>
    listening.get(`${address}:${port}`) ??
    (isLoopback(address) ? (listening.get(`0.0.0.0:${port}`) ?? listening.get(`:::${port}`)) : undefined);

  return {
    claim: (owns) => void claims.push(owns),
    listen: (address, port, accept) => {
      const key = `${address}:${port}`;
      if (listening.has(key)) throw socketError('listen', 'EADDRINUSE', `: address already in use ${key}`);
      const made = { accept };
      listening.set(key, made);
      return () => {
        if (listening.get(key) === made) listening.delete(key);
      };
    },
    connect: (address, port) => {
      const found = find(address, port);
      if (found === undefined) {
        if (claims.some((owns) => owns(address)))
          throw socketError('connect', 'ECONNREFUSED', ` ${address}:${port}`);
        return undefined;
      }
      const source = { address: '127.0.0.1', port: ephemeralPort() };
      const target = { address, port };
      const client = new LoopbackSocket(source, target);
      const server = new LoopbackSocket(target, source);
      client.peer = server;
      server.peer = client;
      process.nextTick(found.accept, server);
      return client;
    },
  };
}

/** As Node's sockets have it: `connect ECONNREFUSED 127.0.0.1:80`. */
const socketError = (syscall: string, code: string, where = ''): Error =>
  Object.assign(new Error(`${syscall} ${code}${where}`), { code, syscall });

/** Whether an address can only be one of this machine's, as `localhost` is. */
export const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^127(?:\.\d+){3}$/.test(address);

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
