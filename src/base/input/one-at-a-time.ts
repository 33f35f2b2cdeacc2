import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = readonly [request: IncomingMessage, response: ServerResponse];

/**
 * Handles the next request of a connection after the previous reply. One may wait: a client may have read a reply
 * before Node knows that it was sent. Closes connections with more than one waiting request. Without this, Node starts
 * every request in a packet immediately, keeps all replies, and ends only the first when the client disconnects.
 */
export function oneAtATime(listener: RequestListener): RequestListener {
  /** The waiting request of each busy connection. */
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
