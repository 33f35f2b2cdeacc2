import {
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type OutgoingHttpHeaders,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext } from 'node:tls';
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
  /** Its answer is streamed, as that of a watch is: it gets a connection that no other request waits for. */
  readonly isStream?: boolean;
}

/** Connections to an API server, kept open between requests. */
export interface Transport {
  /** Resolves with the answer's head; its body is still to be read. Rejects when there is no connection. */
  send(request: HttpRequest): Promise<IncomingMessage>;
  close(): void;
}

/** Connections with one proof. */
interface Agents {
  readonly certificate: Proof['certificate'];
  readonly requests: HttpAgent;
  readonly streams: HttpAgent;
}

/** Idle connections that a client keeps. */
const MOST_IDLE = 8;

/** Opens connections when requests need them, `most` at a time and as many as there are streams. */
export function createTransport(connection: Connection, most: number): Transport {
  const { server, ca, insecure, serverName, credentials } = connection;
  const isSecure = server.protocol === 'https:';
  let agents: Agents | undefined;

  const open = (certificate: Proof['certificate']): Agents => {
    const keeping = {
      keepAlive: true,
      scheduling: 'lifo' as const,
      maxFreeSockets: Math.min(most, MOST_IDLE),
    };
    // One for all connections: OpenSSL would read the certificates again for each.
    const secure = isSecure && {
      secureContext: createSecureContext({ ...certificate, ...(ca !== undefined && { ca }) }),
      ...(serverName !== undefined && { servername: serverName }),
      rejectUnauthorized: !insecure,
    };
    const agent = (maxSockets: number) =>
      secure === false
        ? new HttpAgent({ ...keeping, maxSockets })
        : new HttpsAgent({ ...keeping, ...secure, maxSockets });
    return { certificate, requests: agent(most), streams: agent(Infinity) };
  };

  /** Another client certificate needs other connections; requests that are under way end on the old ones. */
  const agentsFor = ({ certificate }: Proof): Agents => {
    if (agents !== undefined && agents.certificate?.cert === certificate?.cert) return agents;
    if (agents !== undefined) retire(agents);
    agents = open(certificate);
    return agents;
  };

  return {
    send: async ({ method, path, headers, body, signal, isStream = false }) => {
      const proof = await credentials.proof();
      const { requests, streams } = agentsFor(proof);
      const options = {
        method,
        host: server.hostname.replace(/^\[|\]$/g, ''),
        port: server.port || (isSecure ? 443 : 80),
        path: `${server.pathname.replace(/\/$/, '')}${path}`,
        headers: { ...headers, ...(proof.authorization && { Authorization: proof.authorization }) },
        agent: isStream ? streams : requests,
        signal,
      };
      return new Promise((resolve, reject) => {
        const request = isSecure ? httpsRequest(options) : httpRequest(options);
        request.once('response', resolve).once('error', reject);
        request.end(body);
      });
    },
    close: () => {
      agents?.requests.destroy();
      agents?.streams.destroy();
    },
  };
}

function retire({ requests, streams }: Agents): void {
  for (const agent of [requests, streams]) {
    agent.maxFreeSockets = 0;
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }
}
