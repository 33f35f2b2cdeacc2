import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock/clock.js';
import { type ClockedServer, serveOnClock } from '../../base/clock/network/http-server.js';
import { isObject } from '../../base/input/object.js';
import { requestUrl } from '../../base/input/request-url.js';
import type { Json } from './json.js';
import type { ApiObjects } from './objects.js';
import { answerRequest, RequestProblem } from './requests.js';
import { kindOfCollection } from './resources.js';

export interface ApiServerOptions {
  readonly objects: ApiObjects;
  readonly clock: Clock;
  /** Called after the reply to a request that changes something. */
  readonly onChange?: ((request: { method: string; path: string; object: Json }) => void) | undefined;
}

/** Bytes; etcd's --max-request-bytes with its margin. */
const LARGEST_BODY = 3 * 1024 * 1024;

/** Maximum nesting: no API object is this deep, and a body this deep can still be serialized. */
const MOST_LEVELS = 500;

/** Bytes buffered for a watch whose client does not read; above this the watch ends. */
const LARGEST_BACKLOG = 64 * 1024 * 1024;

/** Serves plain HTTP on a free loopback port, for programs on the same clock. */
export function startApiServer(options: ApiServerOptions): Promise<ClockedServer> {
  const { clock } = options;
  return serveOnClock(clock, (request, response) => void clock.run(() => serve(request, response, options)));
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  options: ApiServerOptions,
): Promise<void> {
  try {
    const url = requestUrl(request.url);
    if (url === undefined) throw new RequestProblem(400, 'BadRequest', 'the path of the request is invalid');
    const { pathname: path, searchParams: query } = url;
    if (request.method === 'GET' && query.get('watch') !== null) return watch(path, query, response, options);
    const body = await bodyOf(request);
    const { method = 'GET' } = request;
    const fieldSelector = query.get('fieldSelector') ?? undefined;
    const object = answerRequest(options.objects, options.clock, { method, path, fieldSelector, body });
    send(response, method === 'POST' ? 201 : 200, object);
    if (method !== 'GET') options.onChange?.({ method, path, object });
  } catch (error) {
    // A malformed object or a disconnected client fails only this request.
    if (response.headersSent || response.destroyed) return;
    const problem =
      error instanceof RequestProblem
        ? error
        : new RequestProblem(500, 'InternalError', (error as Error).message);
    send(response, problem.code, statusOf(problem));
  }
}

function send(response: ServerResponse, code: number, object: Json): void {
  const text = JSON.stringify(object);
  response.writeHead(code, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
  });
  response.end(text);
}

async function bodyOf(request: IncomingMessage): Promise<Json | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    parts.push(part);
    size += part.length;
    if (size > LARGEST_BODY)
      throw new RequestProblem(413, 'RequestEntityTooLarge', `the limit is ${LARGEST_BODY} bytes`);
  }
  if (size === 0) return undefined;
  const body = parsed(Buffer.concat(parts).toString());
  const metadata = isObject(body) ? body.metadata : undefined;
  if (isDeeper(body, MOST_LEVELS))
    throw new RequestProblem(400, 'BadRequest', `the body has more than ${MOST_LEVELS} levels`);
  if (!isObject(body) || !(metadata === undefined || isObject(metadata)))
    throw new RequestProblem(400, 'BadRequest', 'the body is not an API object');
  return body;
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1)));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RequestProblem(400, 'BadRequest', 'the body is not JSON');
  }
}

const statusOf = ({ code, reason, message }: RequestProblem): Json => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message,
  reason,
  code,
});

/** Sends one JSON document per line until the client disconnects. */
function watch(
  path: string,
  query: URLSearchParams,
  response: ServerResponse,
  { objects }: ApiServerOptions,
): void {
  const fieldSelector = query.get('fieldSelector') ?? undefined;
  const isInitial = query.get('sendInitialEvents') === 'true';
  const from = query.get('resourceVersion') || undefined;
  const after = isInitial || from === undefined || from === '0' ? undefined : Number(from);
  const write = (change: { readonly type: string; readonly object: Json }) => {
    if (response.destroyed) return;
    response.write(`${JSON.stringify(change)}\n`);
    if (response.writableLength > LARGEST_BACKLOG) response.destroy();
  };
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.flushHeaders();
  if (isInitial || from === undefined || from === '0')
    for (const object of objects.list(path, fieldSelector)) write({ type: 'ADDED', object });
  if (isInitial) write({ type: 'BOOKMARK', object: endOfInitial(path, objects.version) });
  const end = objects.watch({ collection: path, fieldSelector, after }, write);
  if (end === undefined) {
    write({
      type: 'ERROR',
      object: statusOf(new RequestProblem(410, 'Expired', 'too old resource version')),
    });
    response.end();
    return;
  }
  response.once('close', end);
}

/** The bookmark after the initial objects of a watch (KEP-3157). */
const endOfInitial = (path: string, version: number): Json => ({
  ...kindOfCollection(path),
  metadata: {
    resourceVersion: String(version),
    annotations: { 'k8s.io/initial-events-end': 'true' },
    creationTimestamp: null,
  },
});
