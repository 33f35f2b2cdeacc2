import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../clock/clock.js';
import { socketError } from '../clock/network/loopback.js';
import { tick } from '../clock/turn.js';
import { containerDescriptors } from '../host/descriptors.js';
import { openPort } from '../host/open-port.js';

export interface Binding {
  readonly address: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Whether programs of this machine can reach it too. */
  readonly isOnMachine: boolean;
}

/**
 * Listens on all bindings or on none: for programs on the clock, without the kernel. On virtual time only these
 * programs decide whether a port is free, even if another process has the machine's port.
 */
export async function listenOn(
  clock: Clock,
  bindings: readonly Binding[],
  accept: (connection: Duplex) => void,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const opened: { readonly port: number; readonly close: () => unknown }[] = [];
  const connections = new Set<Duplex>();
  const take = (connection: Duplex) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection)).on('error', () => {});
    accept(connection);
  };
  const close = async () => {
    for (const connection of connections) connection.destroy();
    await Promise.all(opened.map((one) => one.close()));
  };
  try {
    for (const { address, port, isOnMachine } of bindings) {
      const server = await (isOnMachine ? listenReally(clock, address, port, take) : asLong()).catch(
        (error: unknown) => {
          if (clock.kind === 'real' || port === 0) throw error;
        },
      );
      if (server !== undefined) opened.push({ port: portOf(server), close: () => closed(server) });
      opened.push(clock.loopback.listen(address, server === undefined ? port : portOf(server), take));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port: opened[0]?.port ?? 0, close };
}

/** Opens the machine's port, which draws on the containers' descriptors. It doesn't keep the process alive. */
async function listenReally(
  clock: Clock,
  host: string,
  port: number,
  accept: (socket: Socket) => void,
): Promise<Server> {
  const free = () => void containerDescriptors.take(-1);
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (!containerDescriptors.take(1)) return socket.destroy();
    socket.once('close', free);
    clock.wires?.follow(socket);
    accept(socket);
  });
  if (!containerDescriptors.take(1)) throw socketError('listen', 'EMFILE', ` ${host}:${port}`);
  await openPort(server, port, host).catch((error) => {
    free();
    throw error;
  });
  server.once('close', free);
  return server.unref();
}

/** Takes as many ticks as `listenReally`, so that the order of events at one instant is the same either way. */
async function asLong(): Promise<undefined> {
  await tick();
  await tick();
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

const portOf = (server: Server): number => (server.address() as AddressInfo).port;
