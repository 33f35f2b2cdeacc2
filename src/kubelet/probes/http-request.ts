import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as startTls } from 'node:tls';
import type { Clock } from '../../base/clock/clock.js';
import { append } from '../../base/input/group-by.js';
import { parseIpAddress } from '../../base/input/ip-address.js';
import { formatSocketAddress } from '../../base/input/socket-address.js';
import type { Connection } from '../../base/network/network.js';
import type { HttpGet } from '../kubernetes/handler.js';
import { type Dialer, dial, LOCAL, untilQuiet } from './dial.js';
import { socketError } from './outcome.js';

/** Maximum number of requests of Go's http.Client. */
const MAX_REQUESTS = 10;
/** Status codes with which Go's http.Client follows a Location. */
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);
const MAX_BODY = 10 * 1024;

export interface HttpRequest extends Dialer {
  readonly get: HttpGet;
  /** The handler's host, or the pod's address; empty means this machine. */
  readonly host: string;
  readonly port: number;
  /** `kube-probe/1.36` */
  readonly userAgent: string;
}

export interface Target {
  readonly url: URL;
  /** URL in Go's notation, always with its port. */
  readonly text: string;
  readonly address: string;
  readonly host: string;
}

export interface RequestStage {
  target: Target;
  hasHeaders?: true;
}

export const requestError = (error: unknown, { text, address }: Target): string =>
  `Get "${text}": ${socketError(error, address)}`;

/** Follows redirects on the same host; resolves with the last headers. Does not verify certificates. */
export async function ask(
  request: HttpRequest,
  stage: RequestStage,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { hostname } = stage.target.url;
  for (let sent = 1; ; sent++) {
    const response = await send(stage.target, request, signal);
    const next = redirected(stage.target, response);
    if (next === undefined || next.url.hostname !== hostname) {
      stage.hasHeaders = true;
      return response;
    }
    response.destroy();
    if (sent === MAX_REQUESTS) {
      stage.target = { ...next, text: response.headers.location ?? '' };
      throw new Error(`stopped after ${MAX_REQUESTS} redirects`);
    }
    stage.target = next;
  }
}

export function firstTarget({ get: { path, scheme, httpHeaders }, host, port }: HttpRequest): Target {
  const protocol = scheme.toLowerCase();
  const address = formatSocketAddress({ host, port });
  const given = httpHeaders.find(({ name }) => canonical(name) === 'Host')?.value;
  return {
    url: new URL(`${protocol}://${formatSocketAddress({ host: host || LOCAL, port })}${path}`),
    text: `${protocol}://${address}${path}`,
    address,
    host: given || address,
  };
}

/** A relative Location keeps the host. */
function redirected(from: Target, response: IncomingMessage): Target | undefined {
  const { location } = response.headers;
  if (!REDIRECTS.has(response.statusCode) || !location) return undefined;
  const url = new URL(location, from.url);
  if (!URL.canParse(location)) {
    const [origin] = from.text.split(/(?<=\w)(?=\/)/, 1);
    return { ...from, url, text: `${origin}${url.pathname}${url.search}` };
  }
  return {
    url,
    text: location,
    address: formatSocketAddress({ host: bareHost(url), port: portOf(url) }),
    host: url.host,
  };
}

const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');
const portOf = ({ port, protocol }: URL): number => Number(port || (protocol === 'https:' ? 443 : 80));

async function send(
  { url, host }: Target,
  request: HttpRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const name = bareHost(url);
  const plain = await dial(request, name, portOf(url), signal);
  const connection = isSecure ? secured(request.clock, plain, name) : plain;
  const start = isSecure ? httpsRequest : httpRequest;
  const local = localOf(plain);
  return new Promise((resolve, reject) => {
    const options = { createConnection: () => connection, signal, headers: headersOf(host, request) };
    start(url, options, resolve)
      // For Go's client a switch of protocols is a response.
      .on('upgrade', (response, socket) => {
        socket.destroy();
        response.push(null);
        resolve(response);
      })
      .on('error', (error) => reject(Object.assign(error, { local })))
      .end();
  });
}

/** Undefined once a real socket is closed. */
const localOf = ({ localAddress: host, localPort: port }: Connection): string | undefined =>
  host === undefined || port === undefined ? undefined : formatSocketAddress({ host, port });

/** TLS without certificate verification. Over loopback it takes a fixed number of event loop turns. */
function secured(clock: Clock, socket: Connection, host: string): Duplex {
  const connection = startTls({
    socket,
    rejectUnauthorized: false,
    ...(parseIpAddress(host) === undefined && { servername: host }),
  });
  void untilQuiet(clock, new Promise<void>((resolve) => connection.once('close', () => resolve())));
  return connection;
}

/**
 * In Go's order: Host and User-Agent, the others by name, Connection. The handler's headers override defaults; an empty
 * User-Agent or Accept removes the default.
 */
function headersOf(host: string, { get: { httpHeaders }, userAgent }: HttpRequest) {
  const headers = new Map<string, string[]>();
  for (const { name, value } of httpHeaders) append(headers, canonical(name), value);
  const agent = headers.get('User-Agent')?.[0] ?? userAgent;
  const accept = headers.get('Accept') ?? ['*/*'];
  for (const key of ['Host', 'User-Agent', 'Accept']) headers.delete(key);
  if (accept[0] !== '') headers.set('Accept', accept);
  return {
    Host: host,
    ...(agent !== '' && { 'User-Agent': agent }),
    ...Object.fromEntries([...headers].sort(([a], [b]) => (a < b ? -1 : 1))),
    Connection: 'close',
  };
}

/** `x-probe` in Go's canonical form: `X-Probe`. */
const canonical = (name: string): string =>
  name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());

/** Reads the first 10 KiB. */
export async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_BODY) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY).toString();
}
