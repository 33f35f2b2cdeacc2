import { Client, type ClientReadableStream, credentials, Metadata, type StatusObject } from '@grpc/grpc-js';
import { TRANSIT_KEY } from '../../src/base/clock/network/transit.js';
import { clientOptions } from '../../src/cri/client/client-options.js';
import { goStatus } from '../../src/cri/client/go-status.js';
import { StatusError } from '../../src/cri/errors.js';
import { FAULT_TRAILER, INNER_FAULT_TRAILER } from '../../src/cri/fault-trailer.js';
import { type Call, type CriService, criMethods, type Encoded } from '../../src/cri/service.js';

export interface RemoteService {
  readonly service: CriService;
  close(): void;
}

type Method = (typeof criMethods)[keyof typeof criMethods];

/**
 * Forwards every call to `endpoint` (`unix:///path` or `host:port`): requests, replies, metadata, deadlines,
 * cancellations, trailers and statuses pass unchanged (see INNER_FAULT_TRAILER), and nothing is decoded. The first call
 * makes the connection; while the endpoint is unreachable, calls fail with UNAVAILABLE.
 */
export function createRemoteService(endpoint: string): RemoteService {
  const client = new Client(endpoint.replace(/^tcp:\/\//, ''), credentials.createInsecure(), clientOptions);
  const forward = (method: Method) =>
    method.responseStream
      ? (request: object, call: Call) => forwardStream(client, method, request, call)
      : (request: object, call: Call) => forwardUnary(client, method, request, call);
  const functions = Object.entries(criMethods).map(([name, method]) => [name, forward(method)]);
  return {
    service: Object.fromEntries(functions) as unknown as CriService,
    close: () => client.close(),
  };
}

function forwardUnary(client: Client, method: Method, request: object, call: Call): Promise<Encoded> {
  return new Promise((resolve, reject) => {
    const { path } = method;
    const bytes = bytesOf(method, request, call);
    const outgoing = client.makeUnaryRequest<Encoded, Encoded>(
      path,
      identity,
      identity,
      bytes,
      metadataOf(call),
      deadlineOf(call),
      (error, reply) => {
        call.signal.removeEventListener('abort', cancel);
        if (error) reject(failureOf(error));
        else resolve(reply as Encoded);
      },
    );
    // The status comes before the callback, so that the trailers are set when the reply is sent.
    outgoing.on('status', (status) => copyTrailers(status, call));
    const cancel = () => outgoing.cancel();
    if (call.signal.aborted) cancel();
    else call.signal.addEventListener('abort', cancel, { once: true });
  });
}

async function* forwardStream(
  client: Client,
  method: Method,
  request: object,
  call: Call,
): AsyncGenerator<Encoded> {
  const incoming: ClientReadableStream<Encoded> = client.makeServerStreamRequest<Encoded, Encoded>(
    method.path,
    identity,
    identity,
    bytesOf(method, request, call),
    metadataOf(call),
    deadlineOf(call),
  );
  incoming.on('status', (status) => copyTrailers(status, call));
  const cancel = () => incoming.cancel();
  if (call.signal.aborted) cancel();
  else call.signal.addEventListener('abort', cancel, { once: true });
  try {
    for await (const message of incoming) yield message;
  } catch (error) {
    const { code, details } = error as Partial<StatusObject>;
    throw typeof code === 'number' ? failureOf({ code, details: details ?? '' }) : error;
  } finally {
    call.signal.removeEventListener('abort', cancel);
    cancel();
  }
}

/**
 * Returns the runtime's status unchanged, but grpc-js' errors about the connection in the words that clients know from
 * Go.
 */
function failureOf(status: Pick<StatusObject, 'code' | 'details'>): StatusError {
  const { code, details, unreached } = goStatus(status);
  return new StatusError(code, details, { unreached });
}

const identity = (bytes: Encoded): Encoded => bytes;

/** Returns the received bytes; encodes a call made in process, or a request that a rule changed. */
function bytesOf(method: Method, request: object, call: Call): Encoded {
  return call.transport?.forwarded?.bytesOf(request) ?? method.requestSerialize(request as never);
}

/** Headers that only concern the connection. */
const OF_CONNECTION: readonly string[] = [TRANSIT_KEY, 'user-agent', 'host'];

function metadataOf(call: Call): Metadata {
  const metadata = new Metadata();
  const headers = call.transport?.forwarded?.metadata;
  for (const name of Object.keys(headers?.getMap() ?? {}))
    if (!OF_CONNECTION.includes(name))
      for (const value of headers?.get(name) ?? []) metadata.add(name, value);
  return metadata;
}

function deadlineOf(call: Call): { deadline?: number } {
  const deadline = call.transport?.forwarded?.realDeadline;
  return deadline === undefined ? {} : { deadline };
}

function copyTrailers(status: StatusObject, call: Call): void {
  for (const name of Object.keys(status.metadata.getMap()))
    for (const value of status.metadata.get(name))
      call.transport?.addTrailer(name === FAULT_TRAILER ? INNER_FAULT_TRAILER : name, value);
}
