import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Duplex } from 'node:stream';
import { socketError } from '../../../base/clock/network/loopback.js';
import type { Process } from '../../process/process.js';
import { within } from './connect.js';
import { addressOf } from './names.js';

export interface FetchOptions {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** For the whole exchange, in ms; undefined waits without limit. */
  readonly limit: number | undefined;
}

export interface Fetched {
  readonly code: number;
  /** `HTTP/1.1 404 Not Found` */
  readonly statusLine: string;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export class UnknownHost extends Error {
  override readonly name = 'UnknownHost';
}

/** The destination of a URL, which clients print before they connect. Throws UnknownHost. */
export async function destinationOf(process: Process, url: URL): Promise<{ address: string; port: number }> {
  const name = url.hostname.replace(/^\[|\]$/g, '');
  const address = await addressOf(process, name);
  if (address === undefined) throw new UnknownHost(name);
  return { address, port: Number(url.port || 80) };
}

/** Follows no redirects. The process pays for the reply. Rejects with UnknownHost, TimedOut or the socket's error. */
export async function fetchOnce(process: Process, url: URL, options: FetchOptions): Promise<Fetched> {
  const { address, port } = await destinationOf(process, url);
  const { method, body } = options;
  const headers = { host: url.host, ...options.headers };
  const path = `${url.pathname}${url.search}`;
  return within(process, options.limit, async (signal) => {
    const connection = await process.connect(address, port, signal);
    return new Promise<Fetched>((resolve, reject) => {
      const call = request({ path, method, headers, signal, createConnection: () => connection });
      // The server has switched protocols. Without these listeners, Node closes the connection and reports nothing.
      const leave = (_: unknown, socket: Duplex) => {
        socket.destroy();
        reject(socketError('read', 'ECONNRESET'));
      };
      call.on('upgrade', leave).on('connect', leave);
      call.on('error', reject).on('response', async (response) => {
        try {
          resolve({
            code: response.statusCode ?? 0,
            statusLine: `HTTP/${response.httpVersion} ${response.statusCode} ${response.statusMessage}`,
            headers: response.headers,
            rawHeaders: response.rawHeaders,
            body: await bodyOf(process, response),
          });
        } catch (error) {
          reject(error);
        }
      });
      call.end(body);
    });
  });
}

/** Throws if the process has too little memory for it. */
async function bodyOf(process: Process, response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    process.allocate(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The headers of lines such as `accept: text/html`. */
export const headersIn = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...rest] = line.split(':');
      return [name, rest.join(':').trim()];
    }),
  );

export function headerLines({ statusLine, rawHeaders }: Fetched): readonly string[] {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1] ?? ''}`] : [],
  );
  return [statusLine, ...lines];
}

/** `example.com/x` without a scheme is HTTP; undefined for text that isn't a URL. */
export function urlOf(text: string): URL | undefined {
  try {
    return new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  } catch {
    return undefined;
  }
}
