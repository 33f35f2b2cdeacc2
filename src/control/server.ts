import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { z } from 'zod';
import { CriError, invalid } from '../cri/errors.js';
import { checkInput, InputError } from '../input/yaml.js';
import { httpStatusOf, Problem } from './problem.js';
import { type ControlReply, type ControlRequest, findRoute, type Route } from './route.js';

/** Bytes of a request body. */
const LARGEST_BODY = 1024 * 1024;

export interface ControlOptions {
  /** `127.0.0.1:0`; port 0 takes any free one. */
  readonly listen: string;
  /** Lets it listen beyond loopback, where anybody who can reach it rules the runtime. Default false. */
  readonly allowRemote?: boolean | undefined;
  readonly routes: readonly Route[];
  /** Told of errors that are not meant for clients. */
  readonly onDefect?: ((error: unknown) => void) | undefined;
}

export interface ControlServer {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  close(): Promise<void>;
}

/** Serves the control API. Throws INVALID for a bad address, UNAVAILABLE if it can't be had. */
export async function startControl(options: ControlOptions): Promise<ControlServer> {
  const { host, port } = parseAddress(options.listen);
  const isLocal = isLoopback(host);
  if (!isLocal && !options.allowRemote)
    throw invalid(
      `the control API would listen on ${host}, beyond this machine, where anybody could rule the runtime: choose 127.0.0.1, or allow it with --control-allow-remote`,
    );
  const server = createServer((request, response) => {
    void respond(request, response, options, isLocal);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CriError(
          'unavailable',
          `the control API can't listen on ${options.listen}: ${error.code === 'EADDRINUSE' ? 'it is in use' : error.code}`,
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  { routes, onDefect }: ControlOptions,
  isLocal: boolean,
): Promise<void> {
  try {
    // A page in a browser may resolve its own name to 127.0.0.1 (DNS rebinding); the Host header tells.
    if (isLocal && !isLoopback(hostOf(request.headers.host ?? '')))
      throw new Problem(
        403,
        `the Host header must name this machine, as in localhost; given ${request.headers.host}`,
      );
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const found = findRoute(routes, request.method ?? 'GET', pathname);
    if ('allowed' in found) throw missing(request.method ?? '', pathname, found.allowed, routes);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const reply = await found.route.handle(controlRequest(request, found.params, searchParams, gone.signal));
    await send(response, reply, gone.signal);
  } catch (error) {
    sendProblem(response, error, onDefect);
  }
}

function controlRequest(
  request: IncomingMessage,
  params: Record<string, string>,
  query: URLSearchParams,
  signal: AbortSignal,
): ControlRequest {
  return {
    params: Object.fromEntries(Object.entries(params).map(([key, value]) => [key, decode(value)])),
    query: (schema) => checkInput(Object.fromEntries(query), schema, 'query'),
    body: <S extends z.ZodType>(schema: S) =>
      readJson(request).then((value) => checkInput(value, schema, 'request body')),
    text: () => readText(request),
    signal,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem(400, `${JSON.stringify(text)} is not percent-encoded`);
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new Problem(413, `the body may have ${LARGEST_BODY} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const text = await readText(request);
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(400, `the body is no JSON: ${(error as Error).message}`);
  }
}

async function send(response: ServerResponse, reply: ControlReply, signal: AbortSignal): Promise<void> {
  if ('json' in reply) {
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json' });
    response.end(`${JSON.stringify(reply.json, jsonable)}\n`);
  } else if ('text' in reply) {
    response.writeHead(200, { 'content-type': reply.type });
    response.end(reply.text);
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.flushHeaders();
    for await (const { event, data } of reply.events) {
      if (signal.aborted) return;
      const hasRoom = response.write(`event: ${event}\ndata: ${JSON.stringify(data, jsonable)}\n\n`);
      if (!hasRoom) await drained(response, signal);
    }
    response.end();
  }
}

/** Nanoseconds exceed what JSON's numbers hold everywhere: they are strings. */
const jsonable = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function sendProblem(response: ServerResponse, error: unknown, onDefect: ControlOptions['onDefect']): void {
  const status = httpStatusOf(error) ?? 500;
  if (status === 500) onDefect?.(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const detail = status === 500 ? "internal error; the server's log says more" : (error as Error).message;
  const errors = error instanceof InputError && error.details.length > 0 ? error.details : undefined;
  // What is left of the request's body is not read: the connection ends with the answer.
  response.writeHead(status, { 'content-type': 'application/problem+json', connection: 'close' });
  response.end(
    `${JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail, errors })}\n`,
  );
}

function missing(method: string, path: string, allowed: string[], routes: readonly Route[]): Problem {
  if (allowed.length > 0) return new Problem(405, `${path} takes ${allowed.join(', ')}, not ${method}`);
  const paths = [...new Set(routes.map((route) => route.path))].join(', ');
  return new Problem(404, `there is no ${path}; there are ${paths}`);
}

function parseAddress(text: string): { host: string; port: number } {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535)
    throw invalid(
      `the control API can't listen on ${JSON.stringify(text)}: write host:port, as in 127.0.0.1:10350 (port 0: any free one)`,
    );
  return { host, port: Number(port) };
}

/** The name in a Host header, without its port. */
const hostOf = (header: string): string => header.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
