import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock, Release } from '../../src/clock/clock.js';
import { CriError } from '../../src/cri/errors.js';
import type { PodSandboxConfig } from '../../src/cri/gen/runtime/v1/api.js';
import type { Listener } from './process/process.js';

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

/** Listens on all bindings, or on none of them; for programs on the same virtual clock without the kernel's help. */
export async function listenOn(
  clock: Clock,
  bindings: readonly (readonly [string, number])[],
  accept: (connection: Duplex) => void,
): Promise<Listener> {
  const servers: Server[] = [];
  const loopbacks: (Release | undefined)[] = [];
  const close = async () => {
    for (const release of loopbacks) release?.();
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  const connections = new Set<Duplex>();
  const take = (connection: Duplex) => {
    connections.add(connection);
    connection.on('close', () => connections.delete(connection)).on('error', () => {});
    accept(connection);
  };
  try {
    for (const [host, port] of bindings) {
      const server = createServer({ allowHalfOpen: true }, take);
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
      server.unref();
      servers.push(server);
      loopbacks.push(clock.loopback?.listen(host, portOf(server), take));
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [first] = servers;
  return {
    port: first === undefined ? 0 : portOf(first),
    close: async () => {
      for (const connection of connections) connection.destroy();
      await close();
    },
  };
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Joins a client's connection to a port of a pod; resolves when both directions are closed. */
export async function forward(
  ip: string | undefined,
  port: number,
  client: Duplex,
  signal: AbortSignal,
): Promise<void> {
  const socket = connect({ host: ip ?? '127.0.0.1', port, allowHalfOpen: true });
  await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject)).catch(
    (error: Error) => {
      throw new CriError('unavailable', `failed to connect to port ${port} inside the pod: ${error.message}`);
    },
  );
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  client.pipe(socket).pipe(client);
  client.on('error', stop);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()).once('error', () => resolve()));
  signal.removeEventListener('abort', stop);
}
