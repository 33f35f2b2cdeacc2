import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { Cpu } from '../../base/clock/cpu.js';
import { createRealClock } from '../../base/clock/real-clock.js';
import { descriptorsOf } from '../../base/host/descriptors.js';
import { openPort } from '../../base/host/open-port.js';
import { type Account, openAccounts } from '../../base/input/account.js';
import { isLoopbackHost } from '../../base/input/ip-address.js';
import { oneAtATime } from '../../base/input/one-at-a-time.js';
import { isOwnHost } from '../../base/input/own-host.js';
import { requestUrl } from '../../base/input/request-url.js';
import {
  formatSocketAddress,
  parseSocketAddress,
  portHint,
  type SocketAddress,
} from '../../base/input/socket-address.js';
import { didYouMean } from '../../base/input/suggest.js';
import { checkInput, type OpenYaml, openYaml } from '../../base/input/yaml.js';
import { CriError, invalid } from '../../cri/errors.js';
import { sendProblem, sendReply } from './answer.js';
import { BodyReader } from './body.js';
import { Problem } from './problem.js';
import { Replies } from './replies.js';
import { type ControlRequest, findRoute, type Route } from './router.js';

/** Tokens of a body: parsing 20,000 takes up to a tenth of a second and blocks all other clients. */
const MOST_TOKENS = 20_000;

export interface ControlOptions {
  /** `127.0.0.1:0`; port 0 takes any free one. */
  readonly listen: string;
  /** Lets it listen beyond loopback, where anyone who can reach it controls the runtime. Default false. */
  readonly allowRemote?: boolean | undefined;
  /** Host names that requests may use, in addition to addresses and this machine's names. Default none. */
  readonly hosts?: readonly string[] | undefined;
  readonly routes: readonly Route[];
  /** Accounts for bodies and replies. Default: its own account. */
  readonly account?: Account | undefined;
  /** Called with internal errors, which clients must not see. */
  readonly onDefect?: ((error: unknown) => void) | undefined;
}

export interface ControlServer {
  /** `http://127.0.0.1:41234` */
  readonly url: string;
  close(): Promise<void>;
}

/** Connections at a time; further ones are closed immediately. Each needs a descriptor. */
const MOST_CONNECTIONS = 1024;
const CONNECTION_SHARE = 8;
/** In ms: how long a client may take to send a request's head and the whole request; and the interval of the check. */
const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 };

/** Serves the control API. Throws INVALID for a bad address, UNAVAILABLE if it is not available. */
export async function startControl(options: ControlOptions): Promise<ControlServer> {
  const { host, port } = parseAddress(options.listen);
  if (!isLoopbackHost(host) && !options.allowRemote)
    throw invalid(
      `the control API would listen on ${host}, where anyone on the network could control the runtime: choose 127.0.0.1, or allow it with --control-allow-remote`,
    );
  const { account = openAccounts().control } = options;
  const shared = {
    bodies: new BodyReader(account),
    replies: new Replies(account),
    cpu: new Cpu(createRealClock()),
  };
  const server = createServer(
    TIMEOUTS,
    oneAtATime((request, response) => {
      // Discards the body, which would otherwise stay in memory.
      if (request.method === 'GET' || request.method === 'HEAD') request.resume();
      void respond(request, response, shared, options);
    }),
  );
  server.maxConnections = descriptorsOf(MOST_CONNECTIONS, CONNECTION_SHARE);
  const bound = await openPort(server, port, host).catch(({ code }: NodeJS.ErrnoException) => {
    const why = code === 'EADDRINUSE' ? 'it is in use; --control 127.0.0.1:0 takes a free port' : code;
    throw new CriError('unavailable', `the control API can't listen on ${options.listen}: ${why}`);
  });
  return {
    url: `http://${formatSocketAddress({ host, port: bound })}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Shared {
  readonly bodies: BodyReader;
  readonly replies: Replies;
  readonly cpu: Cpu;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse<IncomingMessage>,
  { bodies, replies, cpu }: Shared,
  { routes, hosts = [], onDefect }: ControlOptions,
): Promise<void> {
  try {
    refuseForeign(request.headers, hosts);
    const { method = 'GET', url = '/' } = request;
    const parsed = requestUrl(url);
    if (parsed === undefined) throw new Problem(400, `${JSON.stringify(url)} is not a path`);
    const { pathname, searchParams } = parsed;
    const found = findRoute(routes, method, pathname);
    if ('allowed' in found) throw missing(method, pathname, found.allowed, routes);
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const yaml = async () => {
      const text = await bodies.read(request);
      await cpu.request();
      return openYaml(text.trim() === '' ? '{}' : text, 'body', { mostTokens: MOST_TOKENS });
    };
    await cpu.request();
    const reply = await found.route.handle(
      controlRequest(request, yaml, found.params, searchParams, gone.signal),
    );
    await sendReply(response, reply, replies, cpu, gone.signal);
  } catch (error) {
    // The client left before it had sent its request: this is not an error, and needs no reply.
    if (!request.complete && request.destroyed) return;
    sendProblem(response, error, onDefect);
  }
}

/**
 * Refuses requests that a web page in somebody's browser may send here: requests to a name that is neither this
 * machine's nor one of `names` (DNS rebinding: a page's own name may resolve to this address), and requests from other
 * sites and origins (a browser sends them though it hides the answer from the page). Throws Problem 403.
 */
function refuseForeign(headers: IncomingHttpHeaders, names: readonly string[]): void {
  const { host = '', origin, 'sec-fetch-site': site } = headers;
  if (!isOwnHost(host, names))
    throw new Problem(
      403,
      `the Host header must name this machine, as in localhost, or an address; given ${host}; --control-host NAME allows a name`,
    );
  if (site === 'cross-site' || (origin !== undefined && origin !== `http://${host}`))
    throw new Problem(
      403,
      `requests of other web pages are refused; given ${origin === undefined ? `Sec-Fetch-Site: ${site}` : `the Origin header ${origin}`}`,
    );
}

function controlRequest(
  request: IncomingMessage,
  yaml: () => Promise<OpenYaml>,
  params: Record<string, string>,
  query: URLSearchParams,
  signal: AbortSignal,
): ControlRequest {
  return {
    params: Object.fromEntries(Object.entries(params).map(([key, value]) => [key, decode(value)])),
    query: (schema) => checkInput(single(query), schema, 'query'),
    body: async (schema) => (await yaml()).read(schema).value,
    yaml,
    lastEventId: numberOf(request.headers['last-event-id']),
    signal,
  };
}

const numberOf = (header: string | string[] | undefined): number | undefined =>
  typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;

/** Returns a query's values by name. Throws Problem for a repeated name. */
function single(query: URLSearchParams): Record<string, string> {
  for (const key of query.keys())
    if (query.getAll(key).length > 1)
      throw new Problem(400, `query: ${key}: given more than once; give it once`);
  return Object.fromEntries(query);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Problem(400, `${JSON.stringify(text)} is not percent-encoded`);
  }
}

function missing(method: string, path: string, allowed: string[], routes: readonly Route[]): Problem {
  if (allowed.length > 0)
    return new Problem(405, `${path} takes ${allowed.join(', ')}, not ${method}`, {
      allow: allowed.join(', '),
    });
  const paths = [...new Set(routes.map((route) => route.path))];
  const hint = didYouMean(path, paths) || `; there are ${paths.join(', ')}`;
  return new Problem(404, `there is no ${path}${hint}`);
}

function parseAddress(text: string): SocketAddress {
  const address = parseSocketAddress(text.replace(/^http:\/\//, ''));
  if (address === undefined)
    throw invalid(
      `the control API can't listen on ${JSON.stringify(text)} (--control): write host:port, as in 127.0.0.1:10350 or [::1]:10350 (port 0: any free one), or off${portHint(text)}`,
    );
  return address;
}
