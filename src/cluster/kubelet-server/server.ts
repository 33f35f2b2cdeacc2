import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../base/clock/clock.js';
import { descriptorsOf } from '../../base/host/descriptors.js';
import { openPort } from '../../base/host/open-port.js';
import { messageOf } from '../../base/input/error-text.js';
import { append } from '../../base/input/group-by.js';
import { oneAtATime } from '../../base/input/one-at-a-time.js';
import { requestUrl } from '../../base/input/request-url.js';
import { shapeSocket } from '../../base/network/shaped-socket.js';
import { Problem } from '../../runtime/control/problem.js';
import type { StreamRules } from '../../runtime/fault-decisions.js';
import { HalfOpenConnections } from '../../runtime/streaming/half-open.js';
import { closeWhenIdle } from '../../runtime/streaming/idle.js';
import { DEFAULT_LIMITS } from '../../runtime/streaming/limits.js';
import { refuse } from '../../runtime/streaming/refuse.js';
import { loadSessions } from '../../runtime/streaming/server.js';
import type { ClusterNode } from '../node/cluster-node.js';
import { type Access, createAccessCheck } from './access.js';
import { answer } from './answer.js';
import { findPod } from './find-pod.js';
import { type Route, routeOf, type StreamRoute } from './route.js';
import { openStream } from './streams.js';

/** Certificate and key in PEM, and the client CA. */
export interface TlsMaterial {
  readonly cert: string;
  readonly key: string;
  readonly clientCa?: string | undefined;
}

export interface KubeletServerOptions {
  readonly clock: Clock;
  /** Listening address, such as 0.0.0.0. */
  readonly host: string;
  readonly tls: TlsMaterial;
  readonly access: Access;
  /** Called with a readable line when a request fails through no fault of the client. */
  readonly log: (message: string) => void;
  /** Default: those of docs/limits.md. */
  readonly limits?: KubeletServerLimits;
}

export interface KubeletServerLimits {
  /** An additional one is closed immediately. */
  readonly connections: number;
  /** Connections without a request; an additional one closes the oldest. */
  readonly halfOpen: number;
}

/** In ms: timeouts for the handshake and first request, for the head of a request, and for the whole request. */
const FIRST_REQUEST = 10_000;
const TIMEOUTS = {
  handshakeTimeout: FIRST_REQUEST,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2000,
};

export const NO_PORT = 0;

export interface KubeletServer {
  /** Opens a port if necessary; 0 selects a free one. Resolves with the port. */
  listen(port: number): Promise<number>;
  /** Port `NO_PORT`: of accepted connections that have none. */
  serve(port: number, node: ClusterNode): void;
  accept(connection: Socket): void;
  /** Uses another certificate for new connections. */
  renew(tls: TlsMaterial): void;
  close(): Promise<void>;
}

/**
 * One TLS server behind any number of ports. A request concerns the nodes of its port: paths name a pod, whose name is
 * unique in the cluster, but no node. While a node's kubelet is not running, connections to it are closed, as if
 * nothing listened.
 */
export function startKubeletServer(options: KubeletServerOptions): KubeletServer {
  const { clock, host, log } = options;
  const check = createAccessCheck(options.access, clock);
  const { limits = { connections: descriptorsOf(4096, 4), halfOpen: DEFAULT_LIMITS.halfOpenConnections } } =
    options;
  const halfOpen = new HalfOpenConnections(clock, { connections: limits.halfOpen, timeout: FIRST_REQUEST });
  const sessions = new Set<Promise<void>>();
  const ports = createPorts(host, limits.connections, (socket) => {
    halfOpen.add(socket);
    server.emit('connection', socket);
  });

  const nodesAt = (message: IncomingMessage): ClusterNode[] => {
    return ports.nodesAt(message.socket.localPort ?? NO_PORT).filter(({ up }) => up);
  };

  /** Parses, authenticates and authorizes a request. Throws Problem. */
  const admit = async (message: IncomingMessage, nodes: readonly ClusterNode[]) => {
    const url = requestUrl(message.url);
    if (url === undefined) throw new Problem(400, 'the path of the request is invalid');
    const { pathname, searchParams: query } = url;
    const [first] = nodes;
    const found = routeOf(message.method ?? '', pathname);
    const owner = 'pod' in found ? findPod(nodes, found.pod)?.node : undefined;
    await check(message, pathname, (owner ?? first)?.name ?? '');
    return { route: found, query };
  };

  const plain = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    halfOpen.complete(message.socket);
    const nodes = nodesAt(message);
    if (nodes.length === 0) return void message.socket.destroy();
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    try {
      const { route, query } = await admit(message, nodes);
      const { type, body } = await answer({ clock, nodes, route, query, signal: gone.signal });
      response.setHeader('Content-Type', type);
      if (typeof body === 'string' || Buffer.isBuffer(body)) return void response.end(body);
      // Sends the headers now: a client that follows an empty log must wait only for output.
      response.flushHeaders();
      await pipeline(body, response);
    } catch (error) {
      if (response.headersSent || gone.signal.aborted) return void response.destroy();
      const { status, message: text, headers } = refusalOf(error, log);
      response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers });
      response.end(text);
    }
  };

  const upgrade = async (message: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    halfOpen.complete(message.socket);
    const nodes = nodesAt(message);
    if (nodes.length === 0) return void socket.destroy();
    try {
      const { route, query } = await admit(message, nodes);
      if (!isStream(route)) throw new Problem(400, 'this path cannot be upgraded');
      if (sessions.size >= DEFAULT_LIMITS.sessions)
        throw new Problem(503, `all ${DEFAULT_LIMITS.sessions} streaming sessions are in use`);
      const { node, request } = await openStream(nodes, route, query);
      const { streams } = node;
      const rules = streams.rules();
      message.socket.setNoDelay(true);
      closeWhenIdle(message.socket, clock, DEFAULT_LIMITS.idleTimeout);
      streams.add(message.socket);
      const { serveSession } = await loadSessions();
      const { handler, account } = streams;
      const context = { handler, account, rules, clock, limits: DEFAULT_LIMITS };
      const wire = await connectionToRuntime(message.socket, rules, clock);
      await serveSession(context, request, { message, socket: wire, head });
    } catch (error) {
      refuse(socket, refusalOf(error, log));
    }
  };

  const server = createHttpsServer(
    { ...TIMEOUTS, ...secureContext(options.tls), requestCert: true, rejectUnauthorized: false },
    oneAtATime((message, response) => void plain(message, response)),
  );
  server.on('upgrade', (message, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {});
    const session = upgrade(message, socket, head);
    sessions.add(session);
    void session.finally(() => sessions.delete(session));
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());

  return {
    listen: ports.listen,
    serve: ports.serve,
    accept: ports.accept,
    renew: (tls) => server.setSecureContext(secureContext(tls)),
    close: async () => {
      await Promise.all([ports.close(), ...sessions]);
    },
  };
}

/** Applies the rules for connections: the kubelet dials the runtime's streaming server for each session. */
async function connectionToRuntime(
  socket: Socket,
  rules: StreamRules | undefined,
  clock: Clock,
): Promise<Duplex> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  const treatment = await rules?.treatConnection(gone.signal);
  // The text of the kubelet's proxy (apimachinery upgradeaware.go dial).
  if (treatment?.refuse)
    throw new Problem(500, 'error dialing backend: dial tcp: connect: connection refused');
  const isShaped = treatment && (treatment.latency > 0 || treatment.bytesPerSecond !== undefined);
  return isShaped ? shapeSocket(socket, treatment, clock) : socket;
}

/** Ports and their nodes. Accepts at most `most` connections in total. */
function createPorts(host: string, most: number, connected: (socket: Socket) => void) {
  const ports = new Map<number, Server>();
  const nodes = new Map<number, ClusterNode[]>();
  const sockets = new Set<Duplex>();
  const accept = (socket: Socket): void => {
    if (sockets.size >= most) return void socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    connected(socket);
  };
  const open = async (port: number): Promise<number> => {
    const listener = createTcpServer(accept);
    const actual = await openPort(listener, port, host);
    ports.set(actual, listener);
    return actual;
  };
  return {
    accept,
    listen: async (port: number) => (port !== 0 && ports.has(port) ? port : open(port)),
    serve: (port: number, node: ClusterNode): void => append(nodes, port, node),
    nodesAt: (port: number): readonly ClusterNode[] => nodes.get(port) ?? [],
    close: async (): Promise<void> => {
      const closed = [...ports.values()].map((server) => new Promise((resolve) => server.close(resolve)));
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

const secureContext = ({ cert, key, clientCa }: TlsMaterial) => ({
  cert,
  key,
  // Without a list, Node would accept every public authority.
  ca: clientCa ?? [],
});

function isStream(route: Route): route is StreamRoute {
  return route.kind === 'exec' || route.kind === 'attach' || route.kind === 'port-forward';
}

function refusalOf(error: unknown, log: (message: string) => void): Problem {
  if (error instanceof Problem) return error;
  log(`kubelet server: ${messageOf(error)}`);
  return new Problem(500, messageOf(error));
}
