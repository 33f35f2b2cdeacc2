import http, { type Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { inspect } from 'node:util';

/** What may have no end: its reader takes it piece by piece. */
const STREAMED = /\/(?:events|logs|attach|start|archive|export)(?:\?|$)|\/images\/create\?/;
/** What any other reply has at most, in MiB: docker-modem takes it as a whole. */
const LARGEST_REPLY = 64;

function limit(reply: IncomingMessage): void {
  let size = 0;
  reply.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > LARGEST_REPLY * 1024 ** 2)
      reply.destroy(new Error(`a reply has more than ${LARGEST_REPLY} MiB; is it Docker?`));
  });
}

/** Agents have this method, which Node does not document and all that build on its agents rely on. */
interface Sending extends Agent {
  addRequest(request: ClientRequest, ...more: unknown[]): void;
  [inspect.custom]?: () => string;
}

/**
 * Connections to Docker, kept for 5 s as those of Node's own agent. A reply of which only a part came, because Docker
 * went away or because there is too much of it, fails its request: docker-modem waits for the rest forever (Docker sends the
 * headers of `wait` before the container ends).
 */
export function createAgent(secure: boolean): Agent {
  const agent = new (secure ? https : http).Agent({ keepAlive: true, timeout: 5000 }) as Sending;
  const add = agent.addRequest.bind(agent);
  agent.addRequest = (request, ...more) => {
    request.prependOnceListener('response', (reply) => {
      reply.once('error', (error) => request.emit('error', error));
      // docker-modem would follow a redirection, to any host. Docker has none.
      delete reply.headers.location;
      const isStream = STREAMED.test(request.path) && reply.statusCode === 200;
      if (!isStream) limit(reply);
    });
    add(request, ...more);
  };
  // docker-modem puts the options of each request into words, whether they are wanted or not: all connections with them.
  agent[inspect.custom] = () => 'Agent';
  return agent;
}
