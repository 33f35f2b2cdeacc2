import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { openPort } from '../../base/host/open-port.js';
import { isOwnHost } from '../../base/input/own-host.js';
import { requestUrl } from '../../base/input/request-url.js';
import type { Pod } from '../kubernetes/pod.js';
import { podListJson } from '../kubernetes/pod-list-json.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';

export interface ReadOnlyServerOptions {
  readonly address: string;
  /** 0 selects a free port. */
  readonly port: number;
  /** Names of this machine that a Host header may have, in addition to its own: the node's. */
  readonly hosts: readonly string[];
  readonly pods: () => readonly { readonly pod: Pod; readonly status: PodApiStatus | undefined }[];
  /** Prometheus text. */
  readonly metrics: () => Promise<string>;
  /** Why the kubelet is unhealthy; undefined when healthy. */
  readonly health: () => string | undefined;
}

export interface ReadOnlyServer {
  /** The actual port, even if 0 was requested. */
  readonly port: number;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8';
const TEXT = 'text/plain; charset=utf-8';

/**
 * The kubelet's read-only port (server/server.go): /pods, /healthz and /metrics. Unlike the kubelet's, it refuses the
 * names of other machines, which a web page could have point here (DNS rebinding).
 */
export async function startReadOnlyServer(options: ReadOnlyServerOptions): Promise<ReadOnlyServer> {
  const server = createServer((request, response) => {
    answer(options, request).then(
      (reply) => send(response, reply),
      (error: Error) => send(response, { status: 500, type: TEXT, body: `${error.message}\n` }),
    );
  });
  return {
    port: await openPort(server, options.port, options.address),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { hosts, pods, metrics, health }: ReadOnlyServerOptions,
  { method, url, headers }: IncomingMessage,
): Promise<Reply> {
  if (headers.host !== undefined && !isOwnHost(headers.host, hosts))
    return { status: 403, type: TEXT, body: `Host "${headers.host}" is not a name of this machine\n` };
  if (method !== 'GET' && method !== 'HEAD') {
    return {
      status: 405,
      type: TEXT,
      body: `${method} is not allowed; this port supports only GET\n`,
    };
  }
  switch (requestUrl(url)?.pathname.replace(/(.)\/$/, '$1')) {
    case '/pods':
      return { status: 200, type: 'application/json', body: JSON.stringify(podListJson(pods())) };
    case '/metrics':
      return { status: 200, type: PROMETHEUS, body: await metrics() };
    case '/healthz': {
      const problem = health();
      return problem === undefined
        ? { status: 200, type: TEXT, body: 'ok' }
        : { status: 500, type: TEXT, body: `[-]syncloop failed: ${problem}\nhealthz check failed\n` };
    }
    default:
      return {
        status: 404,
        type: TEXT,
        body: `404 page not found; available paths: /pods, /healthz, /metrics\n`,
      };
  }
}

function send(response: ServerResponse, { status, type, body }: Reply): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(body) });
  response.end(body);
}
