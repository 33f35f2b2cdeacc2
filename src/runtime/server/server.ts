import type { Http2Server, IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Clock } from '../../base/clock/clock.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { descriptorsOf } from '../../base/host/descriptors.js';
import { type Account, openAccounts } from '../../base/input/account.js';
import { underTreatment } from '../../base/network/treated-socket.js';
import { type ApiLevel, isAvailable, newestApiLevel } from '../../cri/api-level.js';
import { LARGEST_MESSAGE } from '../../cri/limits.js';
import { messageTypeOf, rpcName } from '../../cri/messages.js';
import type { RestartableServer } from '../../cri/restartable-server.js';
import { type CriMethodName, type CriService, criMethods } from '../../cri/service.js';
import type { CallSubject } from '../../cri/subject.js';
import { unknownRpc } from '../../cri/wrap-service.js';
import type { ConnectionTreatment } from '../fault-decisions.js';
import { CallLog } from './call-log.js';
import { Connections, type OnConnection, type OnLimit } from './connections.js';
import { closeDeadSessions } from './dead-sessions.js';
import {
  type DispatchContext,
  type StreamWork,
  streamHandler,
  type UnaryWork,
  unaryHandler,
} from './dispatcher.js';
import { formatEndpoint, parseEndpoint } from './endpoint.js';
import { http2ServersOf } from './grpc-js-internals.js';
import { addHealth } from './health.js';
import { InFlight } from './in-flight.js';
import { type Listener, openListener } from './listener.js';
import { type OnTooManyPings, watchPings } from './pings.js';
import { expectHttp2, sendAway } from './preface.js';
import { readSparingly } from './request-decoder.js';
import { Turns } from './turns.js';

export interface ServerOptions {
  readonly service: CriService;
  readonly clock: Clock;
  /** Accounts for requests and replies in progress. Default: its own account. */
  readonly account?: Account | undefined;
  /** `unix:///path`, a path, or `tcp://host:port`. */
  readonly listen: string;
  /** Permissions of a unix socket. Default 0660. */
  readonly socketMode?: number | undefined;
  /** RPCs newer than this are UNIMPLEMENTED. Default: the newest. */
  readonly apiLevel?: ApiLevel | undefined;
  readonly describe?: ((method: string, request: object) => CallSubject) | undefined;
  /** Decodes requests on first use; for a service that forwards their bytes. */
  readonly lazyRequests?: boolean | undefined;
  /** How to treat a new connection; undefined: normally. */
  readonly treatConnection?: TreatConnection | undefined;
  readonly onConnection?: OnConnection | undefined;
  /** Finished calls in the history. Default 10,000. */
  readonly callHistory?: number | undefined;
  /** gRPC server reflection. Default off: it loads a second protobuf library. */
  readonly reflection?: boolean | undefined;
  /** Called with internal errors, which clients must not see. */
  readonly onDefect?: ((id: string, error: unknown) => void) | undefined;
  /** Called with connections that are closed because of a limit. */
  readonly onLimit?: OnLimit | undefined;
  readonly onTooManyPings?: OnTooManyPings | undefined;
  /** Measures clients' deadlines and the machine's connections on any `clock`. Default: real time. */
  readonly machineClock?: Clock | undefined;
}

/** Connections at a time; each needs a descriptor. */
const MOST_CONNECTIONS = 1024;
const CONNECTION_SHARE = 4;
/** Concurrent calls on a connection; HTTP/2 clients wait with further ones (RFC 9113, 5.1.2). */
const MOST_STREAMS = 1024;

/** Time in ms that running calls have to end. `mockri serve` ends at most 1 s later. */
const DRAIN = 4000;

/** `gone` aborts when the client disconnects while it waits for the result. */
export type TreatConnection = (
  connection: number,
  gone: AbortSignal,
) => Promise<ConnectionTreatment> | undefined;

export interface CriServer extends RestartableServer {
  /** The endpoint in the form that clients use, with the actual port for port 0. */
  readonly endpoint: string;
  readonly log: CallLog;
  readonly connections: Connections;
  /** Stops listening, and resets all connections after `grace` ms (default 4 s) for running calls. */
  close(grace?: number): Promise<void>;
}

/** Serves a CRI implementation over gRPC. Throws UNAVAILABLE if the address is not available. */
export async function startServer(options: ServerOptions): Promise<CriServer> {
  const { clock, socketMode = 0o660 } = options;
  const { onConnection: onChange, onLimit } = options;
  const most = descriptorsOf(MOST_CONNECTIONS, CONNECTION_SHARE);
  const connections = new Connections({ onChange, onLimit, most });
  const inFlight = new InFlight(connections, options.account ?? openAccounts().requests);
  const log = new CallLog(clock, options.callHistory);
  const { machineClock = createRealClock() } = options;
  const grpc = new Server({
    'grpc.max_receive_message_length': LARGEST_MESSAGE,
    'grpc.max_send_message_length': LARGEST_MESSAGE,
    'grpc.max_concurrent_streams': MOST_STREAMS,
    'grpc.enable_channelz': 0,
    interceptors: [readSparingly(inFlight)],
  });
  register(grpc, options.service, options.apiLevel ?? newestApiLevel, {
    clock,
    machineClock,
    log,
    connections,
    inFlight,
    turns: new Turns(clock),
    report: defectReporter(options.onDefect),
    describe: options.describe,
    lazyRequests: options.lazyRequests ?? false,
  });
  const health = addHealth(grpc);
  if (options.reflection) await (await import('./reflection.js')).addReflection(grpc);

  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  for (const http2 of http2ServersOf(grpc)) {
    http2.on('session', (session) => {
      const connection = connections.ofSession(session);
      const { onTooManyPings } = options;
      if (connection && onTooManyPings) watchPings(session, connection, machineClock, onTooManyPings);
    });
    http2.on('sessionError', releaseSession);
    handleStreams(http2, inFlight);
  }
  /** Connections without an HTTP/2 session, and therefore without calls. */
  const silent = new Set<number>();
  const accept = (socket: Socket): void => {
    clock.wires?.follow(socket);
    const number = connections.add(socket)?.number;
    if (number === undefined) return;
    silent.add(number);
    socket.once('close', () => silent.delete(number));
    const inject = (wire: Duplex) => {
      silent.delete(number);
      injector.injectConnection(wire);
    };
    const gone = new AbortController();
    const treatment = options.treatConnection?.(number, gone.signal);
    if (treatment === undefined) {
      expectHttp2(socket, inject);
      return;
    }
    void underTreatment(socket, treatment, gone, clock).then((treated) => {
      if (treated === undefined) return;
      const wire = treated.wire === socket ? socket : connections.replace(number, treated.wire);
      expectHttp2(wire, treated.treatment.goaway ? sendAway : inject);
    });
  };
  const open = (at: string): Promise<Listener> => openListener(parseEndpoint(at), socketMode, accept);

  let listener = await open(options.listen);
  // Only a listening server has a timer: after a failed start, the process must be able to end.
  const forgetDead = closeDeadSessions(connections, machineClock);
  let isClosed = false;
  const endpoint = formatEndpoint(listener.endpoint);
  return {
    endpoint,
    log,
    connections,
    suspend: async () => {
      await listener.close();
      connections.disconnectAll('reset');
    },
    resume: async () => {
      if (!isClosed) listener = await open(endpoint);
    },
    close: async (grace = DRAIN) => {
      isClosed = true;
      health.shutdown();
      await listener.close();
      for (const number of silent) connections.disconnect(number, 'reset');
      await drain(grpc, connections, machineClock, grace);
      // Resets connections: a client that keeps its end open would keep the process alive.
      connections.disconnectAll('reset');
      forgetDead();
    },
  };
}

/**
 * An error refers to the native objects of its stack until somebody reads its text. Here that is the session, which
 * refers to the error and would never be freed.
 */
const releaseSession = (error: Error): unknown => error.stack;

/** Counts streams, and skips reset streams, for which an immediate reply of grpc-js would throw. */
function handleStreams(http2: Http2Server, inFlight: InFlight): void {
  const handlers = http2.listeners('stream') as StreamListener[];
  http2.removeAllListeners('stream');
  http2.on('stream', (stream, headers, flags) => {
    // After a client's error Node ends each stream with an error event, to which grpc-js doesn't listen.
    stream.on('error', () => {});
    if (stream.destroyed || stream.closed) return;
    inFlight.follow(stream, headers);
    for (const handle of handlers) handle.call(http2, stream, headers, flags);
  });
}

type StreamListener = (
  this: Http2Server,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  flags: number,
) => void;

function register(grpc: Server, service: CriService, level: ApiLevel, context: DispatchContext): void {
  for (const [key, method] of Object.entries(criMethods) as [CriMethodName, AnyMethod][]) {
    const name = rpcName(method.path);
    const known = isAvailable(key, level) ? (service[key] as (() => unknown) | undefined) : undefined;
    const work: unknown = (known ?? unknownRpc(method.path)).bind(service);
    const dispatched = {
      ...method,
      name,
      requestType: messageTypeOf(name, 'Request'),
      stats: context.log.stats(name),
    };
    const handler = method.responseStream
      ? streamHandler({ ...dispatched, work: work as StreamWork }, context)
      : unaryHandler({ ...dispatched, work: work as UnaryWork }, context);
    const type = method.responseStream ? 'serverStream' : 'unary';
    grpc.register(method.path, handler as never, identity, identity, type);
  }
}

type AnyMethod = (typeof criMethods)[CriMethodName];

const identity = (bytes: Buffer): Buffer => bytes;

function defectReporter(onDefect: ServerOptions['onDefect']): (error: unknown) => string {
  let count = 0;
  return (error) => {
    const id = `E${++count}`;
    onDefect?.(id, error);
    return id;
  };
}

/** Resolves when all connections are closed. Also counts connections that grpc-js would wait for forever. */
async function drain(grpc: Server, connections: Connections, clock: Clock, grace: number): Promise<void> {
  const patience = new AbortController();
  const sessions = [...connections.open].flatMap(({ session }) => session ?? []);
  const shutdown = new Promise<void>((resolve) => grpc.tryShutdown(() => resolve()));
  // Since Node 24, grpc-js counts a closing session as closed although calls are running.
  const finished = Promise.all([shutdown, ...sessions.map(ended)]);
  const late = clock.sleep(grace, patience.signal).then(
    () => grpc.forceShutdown(),
    () => {},
  );
  await Promise.race([finished, connections.emptied(), late]);
  patience.abort();
}

const ended = (session: ServerHttp2Session): Promise<void> =>
  session.destroyed ? Promise.resolve() : new Promise((resolve) => session.once('close', () => resolve()));
