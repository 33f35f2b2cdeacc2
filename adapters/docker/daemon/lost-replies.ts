import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { inspect } from 'node:util';

/** Replies that may be endless: their readers consume them piece by piece. */
const STREAMED = /\/(?:events|logs|attach|start|archive|export)(?:\?|$)|\/images\/create\?/;
/** Largest other reply, in MiB: docker-modem reads it as a whole. */
const LARGEST_REPLY = 64;

function limit(reply: IncomingMessage): void {
  let size = 0;
  reply.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > LARGEST_REPLY * 1024 ** 2)
      reply.destroy(new Error(`a reply has more than ${LARGEST_REPLY} MiB; is it Docker?`));
  });
}

/** Node doesn't document this method of agents, but everything built on its agents relies on it. */
interface Sending extends Agent {
  addRequest(request: ClientRequest, ...more: unknown[]): void;
  [inspect.custom]?: () => string;
}

/**
 * Connections to Docker, kept for 5 s like those of Node's own agent. An incomplete or oversized reply fails its
 * request, because docker-modem would wait for the rest forever (Docker sends the headers of `wait` before the
 * container ends).
 */
export function createAgent(secure: boolean): Agent {
  const agent = new (secure ? https : http).Agent({ keepAlive: true, timeout: 5000 }) as Sending;
  const add = agent.addRequest.bind(agent);
  agent.addRequest = (request, ...more) => {
    request.prependOnceListener('response', (reply) => {
      reply.once('error', (error) => request.emit('error', error));
      // docker-modem would follow a redirect to any host. Docker sends none.
      delete reply.headers.location;
      const isStream = STREAMED.test(request.path) && reply.statusCode === 200;
      if (!isStream) limit(reply);
    });
    add(request, ...more);
  };
  // docker-modem formats the options of each request, including all connections, even if no one reads the result.
  agent[inspect.custom] = () => 'Agent';
  return agent;
}
