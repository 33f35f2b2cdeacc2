import { createServer, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { messageOf } from '../../../base/input/error-text.js';
import { oneAtATime } from '../../../base/input/one-at-a-time.js';
import { requestUrl } from '../../../base/input/request-url.js';
import { unescapePercent } from '../../../base/input/unescape-percent.js';
import type { OpenFile } from '../../fs/file-system.js';
import type { Process } from '../../process/process.js';
import { complain, waitFor } from '../kit/io.js';

/** A response; without a body it has only headers. */
export interface Answer {
  readonly code: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Body;
}

/** A file is read at the client's speed: it may be larger than a process' memory. */
export type Body = string | { readonly file: OpenFile; readonly size: number };

/** Bytes. */
export const bodySize = (body: Body): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.size;

const CHUNK = 64 * 1024;

export interface HttpRequest {
  readonly method: string;
  /** Decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** The original request line, for logs: `GET /a?b HTTP/1.1`. */
  readonly line: string;
  readonly client: string;
  readonly clientPort: number;
  /** Opens a file of the server to read; it is closed after the reply or its failure. */
  open(path: string): Promise<OpenFile>;
}

/** Answers one request; when it throws, the connection ends without a reply. */
export type Handler = (request: HttpRequest) => Promise<Answer>;

/** In PEM. */
export interface Certificate {
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** Answers HTTP requests on a port of the pod, over TLS with a certificate. Rejects if port or certificate fail. */
export async function listenHttp(
  process: Process,
  port: number,
  handle: Handler,
  certificate?: Certificate,
): Promise<void> {
  const listener = oneAtATime((request, response) => {
    void process.clock.run(() => respond(process, request, response, handle)).catch(() => response.destroy());
  });
  const server = certificate === undefined ? createServer(listener) : createTlsServer(certificate, listener);
  await process.listen(port, (connection: Duplex) => void server.emit('connection', connection));
}

/** Like listenHttp, but continues if the port can't be opened: the host may use the port itself. */
export async function serveHttp(
  process: Process,
  port: number,
  handle: Handler,
  certificate?: Certificate,
): Promise<void> {
  try {
    await listenHttp(process, port, handle, certificate);
  } catch (error) {
    process.killed.throwIfAborted();
    await complain(process, `can't listen on port ${port}: ${messageOf(error)}`);
  }
}

async function respond(
  process: Process,
  incoming: IncomingMessage,
  response: ServerResponse,
  handle: Handler,
): Promise<void> {
  const opened: OpenFile[] = [];
  const open = async (path: string): Promise<OpenFile> => {
    const file = await process.fs.open(path, 'r');
    opened.push(file);
    return file;
  };
  try {
    const { code, headers = {}, body = '' } = await handle({ ...requestOf(incoming), open });
    response.writeHead(code, { 'content-length': bodySize(body), ...headers });
    if (typeof body === 'string') response.end(body);
    else await sendFile(process, response, body, incoming.method !== 'HEAD');
  } finally {
    for (const file of opened) await file.close();
  }
}

function requestOf({
  method = 'GET',
  url = '/',
  headers,
  httpVersion,
  socket,
}: IncomingMessage): Omit<HttpRequest, 'open'> {
  const parsed = requestUrl(url);
  if (parsed === undefined) throw new Error('the target of the request is no URL');
  const { pathname, searchParams } = parsed;
  return {
    method,
    path: unescapePercent(pathname),
    query: searchParams,
    headers,
    line: `${method} ${url} HTTP/${httpVersion}`,
    client: socket.remoteAddress ?? '-',
    clientPort: socket.remotePort ?? 0,
  };
}

/** Rejects when the file became shorter, the client left or the process was killed. */
async function sendFile(
  process: Process,
  response: ServerResponse,
  { file, size }: Exclude<Body, string>,
  hasBody: boolean,
): Promise<void> {
  const left = new Promise<never>((_, reject) => {
    response.once('close', () => reject(new Error('the client has left')));
  });
  left.catch(() => {});
  for (let rest = hasBody ? size : 0; rest > 0; ) {
    const chunk = await file.read(Math.min(CHUNK, rest));
    if (chunk.length === 0) throw new Error('the file became shorter');
    rest -= chunk.length;
    if (!response.write(chunk)) await waitFor(process, Promise.race([drained(response), left]));
  }
  response.end();
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    response.once('drain', resolve);
  });

/** A text with its newline; by default the name of its status (RFC 9110 section 15). */
export const plain = (code: number, body = `${STATUS_CODES[code]}\n`): Answer => ({
  code,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

/** `21/Nov/2026:07:13:16 +0000`, as in access logs. */
export function logTime(process: Process): string {
  const text = new Date(Number(process.clock.now() / 1_000_000n)).toUTCString();
  const [, day, month, year, time] = text.split(' ');
  return `${day}/${month}/${year}:${time} +0000`;
}
