import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Takes the next request of a connection when the one before is answered. One may wait: a client may have read an answer
 * before Node knows that it was sent. Closes the connection of a client that has more of them. Node would begin all requests of
 * a packet at once, keep all their answers, and end only the first of them when the client goes.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  /** By connection with a request: the one that waits. */
  const busy = new Map<Socket, Exchange | undefined>();
  const begin = (socket: Socket, exchange: Exchange): void => {
    const [, response] = exchange;
    busy.set(socket, undefined);
    response.once('close', () => {
      const next = busy.get(socket);
      busy.delete(socket);
      if (next !== undefined && !socket.destroyed) begin(socket, next);
    });
    listener(...exchange);
  };
  return (request, response) => {
    const { socket } = request;
    if (!busy.has(socket)) begin(socket, [request, response]);
    else if (busy.get(socket) === undefined) busy.set(socket, [request, response]);
    else socket.destroy();
  };
}
