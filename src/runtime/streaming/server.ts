import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createListener, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock/clock.js';
import { openPort } from '../../base/host/open-port.js';
import type { Account } from '../../base/input/account.js';
import { isOwnHost } from '../../base/input/own-host.js';
import { formatSocketAddress, type SocketAddress } from '../../base/input/socket-address.js';
import { underTreatment } from '../../base/network/treated-socket.js';
import type { StreamingHandler, StreamingServer } from '../engine/streaming.js';
import type { StreamRules } from '../fault-decisions.js';
import { HalfOpenConnections } from './half-open.js';
import { closeWhenIdle } from './idle.js';
import { DEFAULT_LIMITS, type StreamingLimits } from './limits.js';
import { refuse } from './refuse.js';
import { isRefusal, type Refusal, type StreamRequest } from './request.js';
import { StreamSockets } from './sockets.js';
import { TokenStore } from './tokens.js';

/** Missing limits are DEFAULT_LIMITS. */
export interface StreamingServerOptions {
  readonly handler: StreamingHandler;
  readonly clock: Clock;
  /** Accounts for received bytes that are not read yet. */
  readonly account?: Account | undefined;
  /** Where to listen. Default: 127.0.0.1, a free port. */
  readonly address?: SocketAddress;
  /** Host in the URLs. Default: the one listened on, or 127.0.0.1 for a wildcard. */
  readonly advertise?: string;
  /** Serves https with this certificate and key, in PEM. */
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer };
  readonly limits?: Partial<StreamingLimits>;
}

/** Loads WebSocket and SPDY with the first client: they would delay the start of a server. */
export const loadSessions = () => import('./session.js');

/** Starts the server of exec, attach and port-forward. Rejects when it can't listen. */
export async function startStreamingServer(options: StreamingServerOptions): Promise<StreamingServer> {
  const { handler, clock, account, tls } = options;
  const { host, port } = options.address ?? { host: '127.0.0.1', port: 0 };
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const tokens = new TokenStore(clock, limits);
  const halfOpen = new HalfOpenConnections(clock, {
    connections: limits.halfOpenConnections,
    timeout: limits.requestTimeout,
  });
  const names = options.advertise === undefined ? [] : [options.advertise];
  const sockets = new StreamSockets();
  const sessions = new Set<Promise<void>>();

  const admit = (message: IncomingMessage): StreamRequest | Refusal =>
    isOwnHost(message.headers.host, names)
      ? requestOf(message, tokens)
      : { status: 403, message: `Host "${message.headers.host}" is not a name of this server` };

  const plain: RequestListener = (message, response) => {
    const admitted = admit(message);
    const { status, message: text, headers } = isRefusal(admitted) ? admitted : MISSING_UPGRADE;
    response.writeHead(status, {
      ...headers,
      Connection: 'close',
      'Content-Type': 'text/plain; charset=utf-8',
    });
    response.end(`${text}\n`);
  };
  const server = tls === undefined ? createHttpServer(plain) : createHttpsServer(tls, plain);

  let rules: StreamRules | undefined;
  const accept = (socket: Socket) => {
    sockets.add(socket);
    halfOpen.add(socket);
    const gone = new AbortController();
    const treatment = rules?.treatConnection(gone.signal);
    if (treatment === undefined) server.emit('connection', socket);
    else
      void underTreatment(socket, treatment, gone, clock).then(
        (treated) => treated && server.emit('connection', treated.wire),
      );
  };
  // TLS writes past the socket below it.
  server.on('secureConnection', (socket: Socket) => sockets.add(socket));
  const listener = createListener({ allowHalfOpen: true, noDelay: true }, accept);
  server.on('upgrade', (message, wire: Duplex, head) => {
    // A rule may have replaced the socket by another stream.
    const socket = wire as Socket;
    socket.on('error', () => {});
    const admitted = admit(message);
    if (isRefusal(admitted)) return refuse(socket, admitted);
    if (sessions.size >= limits.sessions)
      return refuse(socket, { status: 503, message: `all ${limits.sessions} streaming sessions are in use` });
    halfOpen.complete(socket);
    closeWhenIdle(socket, clock, limits.idleTimeout);
    const session = loadSessions().then(({ serveSession }) =>
      serveSession({ handler, clock, account, limits, rules }, admitted, { message, socket, head }),
    );
    sessions.add(session);
    void session.finally(() => {
      sessions.delete(session);
      // A refused client gets a moment to disconnect.
      if (!socket.destroyed) halfOpen.add(socket);
    });
  });

  const bound = await openPort(listener, port, host);
  const address = addressOf(listener.address() as AddressInfo, options.advertise);
  const leave = async (): Promise<void> => {
    const closed = new Promise((resolve) => listener.close(resolve));
    await Promise.all([closed, sockets.close(), ...sessions]);
  };
  let isClosed = false;
  const base = `${tls === undefined ? 'http' : 'https'}://${address}`;
  const url = (request: StreamRequest) => `${base}/${request.kind}/${tokens.issue(request)}`;

  return {
    address,
    useRules: (given) => {
      rules = given;
    },
    hold: (until) => sockets.hold(until),
    disconnectAll: () => sockets.breakAll(),
    execUrl: (session) => url({ kind: 'exec', session }),
    attachUrl: (session) => url({ kind: 'attach', session }),
    portForwardUrl: (session) => url({ kind: 'portforward', ...session }),
    suspend: async () => {
      tokens.clear();
      await leave();
    },
    resume: async () => {
      if (!isClosed) await openPort(listener, bound, host);
    },
    close: async () => {
      isClosed = true;
      await leave();
    },
  };
}

/** Finds the request of a token in the path (cri-dockerd's begins with `/cri`). Uses up the token even on errors. */
function requestOf({ method, url }: IncomingMessage, tokens: TokenStore): StreamRequest | Refusal {
  const [, kind, token = ''] = /^(?:\/cri)?\/(exec|attach|portforward)\/([^/?]+)$/.exec(url ?? '') ?? [];
  if (kind === undefined) return { status: 404, message: 'page not found' };
  if (method !== 'GET' && method !== 'POST')
    return { status: 405, message: 'use GET or POST', headers: { Allow: 'GET, POST' } };
  const request = tokens.consume(token);
  return request?.kind === kind ? request : { status: 404, message: 'page not found' };
}

const MISSING_UPGRADE: Refusal = {
  status: 400,
  message: 'unable to upgrade: the request has no Connection: Upgrade and Upgrade header',
};

/** Host and port of the URLs. A wildcard can't be connected to. */
function addressOf({ address, port }: AddressInfo, advertise: string | undefined): string {
  const host = advertise ?? (['0.0.0.0', '::'].includes(address) ? '127.0.0.1' : address);
  return formatSocketAddress({ host, port });
}
