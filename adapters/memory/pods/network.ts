import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../src/clock/clock.js';
import { tick } from '../../../src/clock/turn.js';
import { CriError } from '../../../src/cri/errors.js';
import type { PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import type { Listener } from '../../../src/linux/process/process.js';

/** Where a port of a pod is reachable: its own address, or loopback in the host's network; and its host ports. */
export function bindingsOf(
  config: PodSandboxConfig,
  ip: string | undefined,
  port: number,
): readonly (readonly [string, number])[] {
  const own = [ip ?? '127.0.0.1', port] as const;
  const mapped = config.portMappings
    .filter(({ containerPort, hostPort }) => containerPort === port && hostPort > 0)
    .map(({ hostIp, hostPort }) => [hostIp || '0.0.0.0', hostPort] as const);
  return [own, ...mapped];
}

/**
 * Listens on all bindings, or on none of them. On virtual time other programs on the clock decide whether a port is
 * free, and reach it without the kernel; that of the machine is listened on too, unless somebody else has it, or
 * `isApart`: then only programs on the clock can reach it.
 */
export async function listenOn(
  clock: Clock,
  bindings: readonly (readonly [string, number])[],
  accept: (connection: Duplex) => void,
  isApart = false,
): Promise<Listener> {
  const { loopback } = clock;
  const isOnMachine = loopback === undefined || !isApart;
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
    for (const [host, port] of bindings) {
      const server = await (isOnMachine || port === 0
        ? listenReally(clock, host, port, take)
        : asLong()
      ).catch((error: unknown) => {
        if (loopback === undefined || port === 0) throw error;
      });
      if (server !== undefined) opened.push({ port: portOf(server), close: () => closed(server) });
      const close = loopback?.listen(host, server === undefined ? port : portOf(server), take);
      if (close !== undefined) opened.push({ port, close });
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port: opened[0]?.port ?? 0, close };
}

/** The machine's port. It doesn't keep the process alive. */
async function listenReally(
  clock: Clock,
  host: string,
  port: number,
  accept: (socket: Socket) => void,
): Promise<Server> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    clock.wires?.follow(socket);
    accept(socket);
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return server.unref();
}

/** Takes as many ticks as `listenReally`: the order of what happens at one instant is the same with and without it. */
async function asLong(): Promise<undefined> {
  await tick();
  await tick();
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Joins a client's connection to a port of a pod; resolves when both directions are closed. */
export async function forward(
  clock: Clock,
  ip: string | undefined,
  port: number,
  client: Duplex,
  signal: AbortSignal,
): Promise<void> {
  const socket = await dial(clock, ip ?? '127.0.0.1', port).catch((error: Error) => {
    throw new CriError('unavailable', `failed to connect to port ${port} inside the pod: ${error.message}`);
  });
  const stop = () => void socket.destroy();
  socket.on('error', stop);
  // The client may have left while the connection was made.
  if (signal.aborted || client.destroyed) {
    stop();
    return;
  }
  signal.addEventListener('abort', stop, { once: true });
  client.pipe(socket).pipe(client);
  client.once('error', stop).once('close', stop);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()).once('error', () => resolve()));
  signal.removeEventListener('abort', stop);
}

async function dial(clock: Clock, host: string, port: number): Promise<Duplex> {
  const simulated = clock.loopback?.connect(host, port);
  if (simulated !== undefined) return simulated;
  const socket = connect({ host, port, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}
