import http, { type Agent, type ClientRequest } from 'node:http';
import https from 'node:https';
import { inspect } from 'node:util';

/** Agents have this method, which Node does not document and all that build on its agents rely on. */
interface Sending extends Agent {
  addRequest(request: ClientRequest, ...more: unknown[]): void;
  [inspect.custom]?: () => string;
}

/**
 * Connections to Docker, kept for 5 s as those of Node's own agent. A reply of which only a part came, because Docker
 * went away, fails its request: docker-modem waits for the rest forever (`wait` sends its headers at once).
 */
export function createAgent(secure: boolean): Agent {
  const agent = new (secure ? https : http).Agent({ keepAlive: true, timeout: 5000 }) as Sending;
  const add = agent.addRequest.bind(agent);
  agent.addRequest = (request, ...more) => {
    request.once('response', (reply) => reply.once('error', (error) => request.emit('error', error)));
    add(request, ...more);
  };
  // docker-modem puts the options of each request into words, whether they are wanted or not: all connections with them.
  agent[inspect.custom] = () => 'Agent';
  return agent;
}
