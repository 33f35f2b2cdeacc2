import type { Clock, Timer } from '../../base/clock/clock.js';
import type { Connections, OpenConnection } from './connections.js';

/** Time in ms between two checks of the connections. */
const INTERVAL = 500;
/** Time in ms in which Node passes a PING to the system. */
const SENDING = 100;

/**
 * Closes connections whose HTTP/2 session has ended while Node keeps the socket open. After a client's protocol error,
 * such as a PING frame of 7 bytes, nghttp2 sends GOAWAY, stops reading and writing, and does not notify Node. A PING
 * reveals such a session: it stays unsent although no other bytes wait. A connection is tested when it has been quiet
 * for one interval after it received bytes. Returns a function that stops the checks.
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
        // The answer to a PING does not trigger the next one.
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
    // Too many unanswered PINGs: the client answers none, but its connection isn't dead.
    return;
  }
  clock.setTimer(SENDING, () => {
    if (session.destroyed || socket.destroyed) return;
    const isStuck = (session.state.outboundQueueSize ?? 0) > 0 && socket.bytesWritten === before;
    if (isStuck && socket.writableLength === 0 && unsent(socket) === 0) socket.destroy();
  });
}

const unsent = (socket: object): number =>
  (socket as { readonly _handle?: { readonly writeQueueSize?: number } })._handle?.writeQueueSize ?? 0;
