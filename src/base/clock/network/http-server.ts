import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, Socket } from 'node:net';
import type { Clock } from '../clock.js';
import { NODE } from './loopback.js';

export interface ClockedServer {
  /** For example `http://127.0.0.1:40312/SECRET`; requests without the secret are refused. */
  readonly url: string;
  close(): void;
}

/** Answers a request that switches to another protocol; the client may already have sent `head` in it. */
export type UpgradeListener = (request: IncomingMessage, response: ServerResponse, head: Buffer) => void;

/**
 * Serves plain HTTP on a free loopback port, for programs on the same clock, and in memory for what is in this process.
 * Every path of its URL begins with a secret, because other users of this machine reach the port, too, and client-go
 * sends no credentials over plain HTTP.
 */
export async function serveOnClock(
  clock: Clock,
  answer: RequestListener,
  upgrade?: UpgradeListener,
): Promise<ClockedServer> {
  const secret = `/${randomBytes(16).toString('hex')}`;
  const admit = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (isForeign(request, secret)) {
      response.writeHead(403).end();
      return false;
    }
    request.url = request.url?.slice(secret.length);
    return true;
  };
  const server = createServer((request, response) => {
    if (admit(request, response)) answer(request, response);
  });
  if (upgrade !== undefined)
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket.on('error', () => {}));
      response.on('finish', () => socket.end());
      if (admit(request, response)) upgrade(request, response, head);
    });
  // These timers count real time, which has no meaning here.
  Object.assign(server, { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0, timeout: 0 });
  // Connections in memory count no bytes.
  server.on('connection', (socket) => socket instanceof Socket && clock.wires?.follow(socket));
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, NODE, resolve));
  const { port } = server.address() as AddressInfo;
  const inMemory = clock.loopback.listen(NODE, port, (connection) => server.emit('connection', connection));
  return {
    url: `http://${NODE}:${port}${secret}`,
    close: () => {
      inMemory.close();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Web pages have an origin, or a name that leads here (DNS rebinding). */
const isForeign = ({ url, headers }: IncomingMessage, secret: string): boolean =>
  !url?.startsWith(`${secret}/`) || headers.origin !== undefined || headers.host?.split(':')[0] !== NODE;
