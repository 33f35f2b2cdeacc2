import type { Clock, Timer } from '../../base/clock/clock.js';
import type { Connections, OpenConnection } from './connections.js';

/** Time in ms between two looks at the connections. */
const INTERVAL = 500;
/** Time in ms in which a PING leaves for the system. */
const SENDING = 100;

/**
 * Closes connections whose HTTP/2 session has ended while Node keeps the socket open. After a mistake of the client,
 * such as a PING frame of 7 bytes, nghttp2 says GOAWAY by itself, reads and writes no more, and does not tell. Such a
 * session is known by a PING that it never sends although nothing waits to be sent. A connection is tried when it has
 * been quiet for one interval after it received bytes. Returns how to stop.
 */
export function closeDeadSessions(connections: Connections, clock: Clock): () => void {
  const seen = new WeakMap<OpenConnection, { bytes: number; tried: boolean }>();
  let timer: Timer;
  const look = () => {
    for (const connection of connections.open) {
      if (connection.session === undefined) continue;
      const { bytesRead } = connection.socket;
      const before = seen.get(connection);
      if (before === undefined) seen.set(connection, { bytes: bytesRead, tried: false });
      else if (before.bytes !== bytesRead) {
        // The answer to a PING is not a reason for the next one.
        before.tried &&= bytesRead - before.bytes <= PONG;
        before.bytes = bytesRead;
      } else if (!before.tried) {
        before.tried = true;
        probe(connection, clock);
      }
    }
    timer = clock.setTimer(INTERVAL, look);
  };
  timer = clock.setTimer(INTERVAL, look);
  return () => timer.cancel();
}

/** Bytes of a PING frame (RFC 9113, 6.7). */
const PONG = 17;

function probe({ session, socket }: OpenConnection, clock: Clock): void {
  if (session === undefined || session.destroyed || session.closed) return;
  const before = socket.bytesWritten;
  try {
    session.ping(() => {});
  } catch {
    // Too many PINGs are under way: the client answers none, and its connection is not dead for that.
    return;
  }
  clock.setTimer(SENDING, () => {
    if (session.destroyed || socket.destroyed) return;
    const isStuck = (session.state.outboundQueueSize ?? 0) > 0 && socket.bytesWritten === before;
    if (isStuck && socket.writableLength === 0 && unsent(socket) === 0) socket.destroy();
  });
}

/** Bytes that the system has not taken yet. */
const unsent = (socket: object): number =>
  (socket as { readonly _handle?: { readonly writeQueueSize?: number } })._handle?.writeQueueSize ?? 0;
