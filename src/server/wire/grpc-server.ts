import type { Duplex } from 'node:stream';
import type { Clock } from '../../clock/clock.js';
import { encodeFields, type Fields } from '../../cri/wire/hpack.js';
import type { Connection } from '../connections.js';
import { Http2ServerConnection } from './connection.js';
import { IncomingCall, type Rpc } from './incoming-call.js';
import type { ServerStream, StreamListener } from './stream.js';

export interface GrpcServerOptions {
  /** Measures the deadlines of clients, which are real time. */
  readonly clock: Clock;
  /** Of a request, in bytes. */
  readonly largest: number;
}

/** Serves RPCs over gRPC on connections it is given. */
export class GrpcServer {
  readonly #options: GrpcServerOptions;
  readonly #rpcs = new Map<string, Rpc>();

  constructor(options: GrpcServerOptions) {
    this.#options = options;
  }

  /** `path` is `/package.Service/Method`. */
  register(path: string, rpc: Rpc): void {
    this.#rpcs.set(path, rpc);
  }

  /** Serves a client whose preface has been seen, and is still to be read. */
  serve(socket: Duplex, connection: Connection): Http2ServerConnection {
    return new Http2ServerConnection(socket, (stream, fields) => this.#accept(stream, fields, connection));
  }

  #accept(stream: ServerStream, fields: Fields, connection: Connection): StreamListener {
    const path = fields.get(':path') ?? '';
    const refusal = refusalOf(fields);
    if (refusal !== undefined) {
      stream.send({ tail: encodeFields([[':status', refusal]]) });
      return DEAF;
    }
    return new IncomingCall(stream, fields, {
      ...this.#options,
      connection,
      rpc: this.#rpcs.get(path) ?? unknown(path),
    });
  }
}

/** What is no gRPC at all (gRPC over HTTP/2, Requests) is answered in HTTP's terms. */
function refusalOf(fields: Fields): string | undefined {
  if (fields.get(':method') !== 'POST') return '405';
  return fields.get('content-type')?.startsWith('application/grpc') ? undefined : '415';
}

/** As grpc-go's server answers; the request is not waited for. */
function unknown(path: string): Rpc {
  const [, service = '', method = ''] = path.split('/');
  const begin = (call: IncomingCall) => {
    call.fail('UNIMPLEMENTED', `unknown method ${method} for service ${service}`);
    return DEAF;
  };
  return { kind: 'several', begin };
}

const ignore = (): void => {};
const DEAF = { data: ignore, message: ignore, requestEnds: ignore, end: ignore, cut: ignore };
