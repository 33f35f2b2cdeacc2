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

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  /** A streamed reply, like a watch's: gets a connection that no other request waits for. */
  readonly isStream?: boolean;
}

/** Connections to an API server, kept open between requests. */
export interface Transport {
  /** Resolves with the reply's head; the caller reads the body. Rejects without a connection. */
  send(request: HttpRequest): Promise<IncomingMessage>;
  close(): void;
}

interface Agents {
  readonly certificate: Proof['certificate'];
  readonly requests: HttpAgent;
  readonly streams: HttpAgent;
}

const MOST_IDLE = 8;

/** Opens connections on demand: up to `most`, plus one per stream. */
export function createTransport(connection: Connection, most: number): Transport {
  const { server, ca, insecure, serverName, credentials, dial } = connection;
  const isSecure = server.protocol === 'https:';
  // What it returns need not be a socket, which has more to keep alive.
  const dialing = dial && { createConnection: dial, keepSocketAlive: () => true };
  let agents: Agents | undefined;

  const open = (certificate: Proof['certificate']): Agents => {
    const keeping = {
      keepAlive: true,
      scheduling: 'lifo' as const,
      maxFreeSockets: Math.min(most, MOST_IDLE),
    };
    // One for all connections: OpenSSL would parse the certificates again for each.
    const secure = isSecure && {
      secureContext: createSecureContext({ ...certificate, ...(ca !== undefined && { ca }) }),
      ...(serverName !== undefined && { servername: serverName }),
      rejectUnauthorized: !insecure,
    };
    const agent = (maxSockets: number) =>
      secure === false
        ? Object.assign(new HttpAgent({ ...keeping, maxSockets }), dialing)
        : new HttpsAgent({ ...keeping, ...secure, maxSockets });
    return { certificate, requests: agent(most), streams: agent(Infinity) };
  };

  /** Another client certificate needs other connections; requests in progress end on the old ones. */
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
        request
          .once('response', resolve)
          .on('error', reject)
          // Without a listener Node reports neither a response nor an error.
          .once('upgrade', (_, socket) => {
            socket.destroy();
            reject(new Error('the server switched protocols'));
          });
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
