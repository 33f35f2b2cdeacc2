import { constants, type ServerHttp2Session } from 'node:http2';
import type { Clock } from '../../base/clock/clock.js';
import { turn } from '../../base/clock/turn.js';
import type { OpenConnection } from './connections.js';

/** Minimum time between pings in ms, with and without calls (grpc-go keepalive EnforcementPolicy, defaults). */
const WITH_CALLS = 5 * 60_000;
const WITHOUT_CALLS = 2 * 60 * 60_000;
const MOST_STRIKES = 2;
/** If more bytes than this pass between two pings, they are data of a large reply; acknowledgements have fewer. */
const LEAST_DATA = 100;

/** Called once when a client pings too often; `close` ends its connection. */
export type OnTooManyPings = (peer: string) => 'close' | 'keep';

/** Counts the pings of a client as grpc-go does (internal/transport/http2_server.go, handlePing). */
export function watchPings(
  session: ServerHttp2Session,
  connection: OpenConnection,
  clock: Clock,
  tooMany: OnTooManyPings,
): void {
  let strikes = 0;
  let last = Number.NEGATIVE_INFINITY;
  let written = 0;
  const count = () => {
    const since = clock.elapsed() - last;
    last = clock.elapsed();
    const { bytesWritten } = connection.socket;
    if (connection.hasSent || bytesWritten - written > LEAST_DATA) strikes = 0;
    else if (since < (connection.calls > 0 ? WITH_CALLS : WITHOUT_CALLS)) strikes++;
    connection.hasSent = false;
    written = bytesWritten;
    if (strikes <= MOST_STRIKES) return;
    session.off('ping', count);
    if (tooMany(connection.peer) === 'keep') return;
    session.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM, 0, Buffer.from('too_many_pings'));
    // Closes the socket after the frame was sent.
    void turn().then(() => connection.socket.destroySoon());
  };
  session.on('ping', count);
}
