import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as startTls } from 'node:tls';
import type { Clock } from '../../clock/clock.js';
import type { HttpGet } from '../types.js';
import { type Connection, dial, untilQuiet } from './dial.js';
import { exchange } from './exchange.js';
import { failure, hostPort, type Outcome, socketError, success, warning } from './outcome.js';

/** Go's http.Client gives up after this many. */
const MAX_REDIRECTS = 10;
const MAX_BODY = 10 * 1024;

/** One GET of an httpGet probe (probe/http/http.go). */
export interface HttpCheck {
  readonly clock: Clock;
  readonly get: HttpGet;
  /** The pod's address, unless the handler names a host. */
  readonly host: string;
  readonly port: number;
  /** Milliseconds. */
  readonly timeout: number;
  /** `kube-probe/1.36` */
  readonly userAgent: string;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly location: URL | undefined;
}

/** pkg/probe/http: 200 to 399 succeeds; redirects are followed on the same host; certificates are not checked. */
export async function checkHttp(check: HttpCheck): Promise<Outcome> {
  const { clock, get, port, timeout } = check;
  const address = hostPort(check.host, port);
  const url = new URL(`${get.scheme.toLowerCase()}://${address}${get.path}`);
  const asked = `Get "${get.scheme.toLowerCase()}://${address}${get.path}"`;
  try {
    const answer = await exchange(clock, timeout, (signal) => follow(url, check, signal));
    if (answer === undefined) {
      return failure(`${asked}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)`);
    }
    if (answer.status >= 400 || answer.status < 200) {
      return failure(`HTTP probe failed with statuscode: ${answer.status}`);
    }
    if (answer.status >= 300) return warning(`Probe terminated redirects, Response body: ${answer.body}`);
    return success(answer.body);
  } catch (error) {
    return failure(`${asked}: ${socketError(error, address)}`);
  }
}

async function follow(url: URL, check: HttpCheck, signal: AbortSignal): Promise<Answer> {
  let current = url;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const answer = await send(current, check, signal);
    if (answer.location === undefined || answer.location.hostname !== url.hostname) return answer;
    current = answer.location;
  }
  throw new Error(`stopped after ${MAX_REDIRECTS} redirects`);
}

type Request = Pick<HttpCheck, 'clock' | 'get' | 'userAgent'>;

/** One GET on a connection of its own. */
export async function send(url: URL, asked: Request, signal: AbortSignal): Promise<Answer> {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (isSecure ? 443 : 80));
  const plain = await dial(asked.clock, host, port, signal);
  const connection = isSecure ? secured(asked.clock, plain, host) : plain;
  const request = isSecure ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const options = { createConnection: () => connection, signal, headers: headersOf(asked) };
    const sent = request(url, options, (response) => readAnswer(url, response).then(resolve, reject));
    sent.on('error', reject);
    sent.end();
  });
}

/** TLS without a look at the certificate. Over a loopback it takes turns of the event loop, but always as many. */
function secured(clock: Clock, socket: Connection, host: string): Duplex {
  const connection = startTls({
    socket,
    rejectUnauthorized: false,
    ...(isIP(host) === 0 && { servername: host }),
  });
  void untilQuiet(clock, new Promise<void>((resolve) => connection.once('close', () => resolve())));
  return connection;
}

/** Headers of the handler win; an empty User-Agent or Accept removes the usual one. */
function headersOf({ get, userAgent }: Request): Record<string, string | string[]> {
  const headers = new Map<string, string[]>([
    ['user-agent', [userAgent]],
    ['accept', ['*/*']],
    ['connection', ['close']],
  ]);
  const given = new Map<string, string[]>();
  for (const { name, value } of get.httpHeaders) {
    const key = name.toLowerCase();
    given.set(key, [...(given.get(key) ?? []), value]);
  }
  for (const [key, values] of given) {
    if (values.every((value) => value === '')) headers.delete(key);
    else headers.set(key, values);
  }
  return Object.fromEntries(
    [...headers].map(([key, values]) => [key, values.length > 1 ? values : (values[0] ?? '')]),
  );
}

async function readAnswer(url: URL, response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= MAX_BODY) break;
  }
  const status = response.statusCode ?? 0;
  const { location } = response.headers;
  const redirects = status >= 300 && status < 400 && location !== undefined;
  return {
    status,
    body: Buffer.concat(chunks).subarray(0, MAX_BODY).toString(),
    location: redirects ? new URL(location, url) : undefined,
  };
}
