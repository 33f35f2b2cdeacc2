import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Takes the next request of a connection when the one before is answered, and closes the connection of a client that doesn't
 * wait for it. Node would begin all requests of a packet at once, keep all their answers, and end only the first of
 * them when the client goes.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  const busy = new WeakSet<Socket>();
  return (request, response) => {
    const { socket } = request;
    if (busy.has(socket)) return void socket.destroy();
    busy.add(socket);
    response.once('close', () => busy.delete(socket));
    listener(request, response);
  };
}
