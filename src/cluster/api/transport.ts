import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Proof } from './credentials.js';
import type { Connection } from './kubeconfig.js';

/** One HTTP request as it goes out. */
export interface HttpRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
}

/** Connections to an API server, kept open between requests. */
export interface Transport {
  /** Resolves with the answer's head; its body is still to be read. Rejects when there is no connection. */
  send(request: HttpRequest): Promise<IncomingMessage>;
  /** The next requests use new connections. */
  reset(): void;
  close(): void;
}

/** Opens connections when requests need them, `most` at a time. */
export function createTransport(connection: Connection, most: number): Transport {
  const { server, ca, insecure, serverName, credentials } = connection;
  const isSecure = server.protocol === 'https:';
  let agent: { readonly key: string; readonly of: HttpAgent } | undefined;

  /** Another client certificate needs other connections. */
  const agentFor = ({ certificate }: Proof): HttpAgent => {
    const key = certificate?.cert ?? '';
    if (agent?.key !== key) {
      agent?.of.destroy();
      const keeping = { keepAlive: true, maxSockets: most, scheduling: 'lifo' as const };
      const secure = () =>
        new HttpsAgent({
          ...keeping,
          ...certificate,
          ...(ca !== undefined && { ca }),
          ...(serverName !== undefined && { servername: serverName }),
          rejectUnauthorized: !insecure,
        });
      agent = { key, of: isSecure ? secure() : new HttpAgent(keeping) };
    }
    return agent.of;
  };

  return {
    send: async ({ method, path, headers, body, signal }) => {
      const proof = await credentials.proof();
      const options = {
        method,
        host: server.hostname.replace(/^\[|\]$/g, ''),
        port: server.port || (isSecure ? 443 : 80),
        path: `${server.pathname.replace(/\/$/, '')}${path}`,
        headers: { ...headers, ...(proof.authorization && { Authorization: proof.authorization }) },
        agent: agentFor(proof),
        signal,
      };
      return new Promise((resolve, reject) => {
        const request = isSecure ? httpsRequest(options) : httpRequest(options);
        request.once('response', resolve).once('error', reject);
        request.end(body);
      });
    },
    reset: () => {
      agent?.of.destroy();
      agent = undefined;
    },
    close: () => agent?.of.destroy(),
  };
}
