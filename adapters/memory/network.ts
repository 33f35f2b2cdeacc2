import { connect, createServer, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
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

/** Listens on all bindings, or on none of them. */
export async function listenOn(
  bindings: readonly (readonly [string, number])[],
  accept: (connection: Duplex) => void,
): Promise<Listener> {
  const servers: Server[] = [];
  const close = async () => {
    await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  };
  const connections = new Set<Duplex>();
  try {
    for (const [host, port] of bindings) {
      const server = createServer({ allowHalfOpen: true }, (socket) => {
        connections.add(socket);
        socket.on('close', () => connections.delete(socket)).on('error', () => {});
        accept(socket);
      });
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
      server.unref();
      servers.push(server);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [first] = servers;
  const address = first?.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close: async () => {
      for (const connection of connections) connection.destroy();
      await close();
    },
  };
}

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
