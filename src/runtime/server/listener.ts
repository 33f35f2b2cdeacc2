import { chmod, lstat, stat, unlink } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { CriError } from '../../cri/errors.js';
import { type Endpoint, formatEndpoint } from './endpoint.js';

export interface Listener {
  /** The endpoint, with the actual port for port 0. */
  readonly endpoint: Endpoint;
  /** Stops listening and removes the socket. Connections stay open. */
  close(): Promise<void>;
}

/** Listens on Mockri's own socket and passes connections to gRPC. Replaces a stale socket, refuses a live one. */
export async function openListener(
  endpoint: Endpoint,
  socketMode: number,
  onConnection: (socket: Socket) => void,
): Promise<Listener> {
  const server = createServer({ noDelay: true }, onConnection);
  if (endpoint.kind === 'tcp') {
    await listen(server, endpoint);
    const { port } = server.address() as AddressInfo;
    return { endpoint: { ...endpoint, port }, close: () => closed(server) };
  }
  await checkDirectory(endpoint);
  await takeOver(endpoint.path);
  await withUmask(0o777 & ~socketMode, () => listen(server, endpoint));
  await chmod(endpoint.path, socketMode);
  return { endpoint, close: () => closed(server) };
}

/** A missing directory is probably a typing error, so it is not created. */
async function checkDirectory(endpoint: Endpoint & { readonly kind: 'unix' }): Promise<void> {
  const directory = dirname(endpoint.path);
  const stats = await stat(directory).catch((error: NodeJS.ErrnoException) => {
    throw unavailable(
      endpoint,
      `no directory ${directory} (${error.code}); create it, or correct the path`,
      error,
    );
  });
  if (!stats.isDirectory()) throw unavailable(endpoint, `${directory} is not a directory`);
}

/** Binds with the mode's umask: the socket never has more permissions. `bind` must call bind(2) synchronously. */
async function withUmask(mask: number, bind: () => Promise<void>): Promise<void> {
  // A thread can't change its process' umask; the socket of a simulation is in a directory that only its user can read.
  if (!isMainThread) return bind();
  const before = process.umask(mask);
  const bound = bind();
  process.umask(before);
  await bound;
}

/** Removes a stale socket; throws if the path is anything else. */
async function takeOver(path: string): Promise<void> {
  const endpoint: Endpoint = { kind: 'unix', path };
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return;
  if (!stats.isSocket())
    throw unavailable(endpoint, 'the path exists and is not a socket: move it away, or choose another');
  if (await isServed(path))
    throw unavailable(endpoint, 'another process is serving it: stop that one, or choose another path');
  await unlink(path);
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect(path);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      else
        reject(unavailable({ kind: 'unix', path }, `the socket there can't be tried (${error.code})`, error));
    });
  });
}

function listen(server: Server, endpoint: Endpoint): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(unavailable(endpoint, `${error.code === 'EADDRINUSE' ? 'it is in use' : error.message}`, error)),
    );
    server.listen(endpoint.kind === 'unix' ? { path: endpoint.path } : endpoint, () => resolve());
  });
}

function closed(server: Server): Promise<void> {
  server.close();
  return Promise.resolve();
}

const unavailable = (endpoint: Endpoint, why: string, cause?: unknown): CriError =>
  new CriError('unavailable', `can't listen on ${formatEndpoint(endpoint)}: ${why}`, { cause });
