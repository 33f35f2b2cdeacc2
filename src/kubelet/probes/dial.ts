import { connect, type Socket } from 'node:net';
import type { Clock } from '../../clock/clock.js';
import { restOfInstant } from '../../clock/instant.js';
import { isLoopback, type LoopbackSocket } from '../../clock/network/loopback.js';
import { turn } from '../../clock/turn.js';

/**
 * Number of event loop turns without activity after which a server outside of the virtual clock is assumed to wait
 * for time to pass. This is a heuristic: a server in another process cannot report whether it sleeps or waits for the
 * processor.
 */
const QUIET_TURNS = 100;

/** Address that Go dials for an empty host. */
export const LOCAL = '127.0.0.1';

/** A real socket, or a socket of the simulated network of a virtual clock. */
export type Connection = Socket | LoopbackSocket;

/**
 * Opens a connection; an empty host means this machine. The abort of the signal destroys it. Rejects with the
 * socket's error.
 */
export async function dial(
  clock: Clock,
  given: string,
  port: number,
  signal: AbortSignal,
): Promise<Connection> {
  signal.throwIfAborted();
  const host = given || LOCAL;
  const simulated = clock.loopback?.connect(host, port);
  const connection = simulated ?? connect({ host, port });
  const drop = () => void connection.destroy();
  signal.addEventListener('abort', drop, { once: true });
  connection.once('close', () => signal.removeEventListener('abort', drop));
  if (simulated === undefined) await opened(clock, host, connection as Socket);
  // The other end may be gone when it is asked.
  else await restOfInstant(clock);
  return connection;
}

/**
 * Holds a virtual clock until the connection is open or refused. For addresses of this machine the kernel decides
 * that without delay.
 */
async function opened(clock: Clock, host: string, socket: Socket): Promise<void> {
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const decided = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject);
    void closed.then(() => reject(new Error('given up')));
  });
  if (isLoopback(host)) {
    const release = clock.hold();
    decided.finally(release).catch(() => {});
  } else void untilQuiet(clock, decided);
  await decided;
  void untilQuiet(clock, closed);
}

/** Holds a virtual clock until the promise settles, or for this many turns of the event loop. */
export async function untilQuiet(clock: Clock, end: Promise<unknown>): Promise<void> {
  if (clock.kind !== 'virtual') return;
  const release = clock.hold();
  let open = true;
  const done = () => {
    open = false;
  };
  end.then(done, done);
  for (let turns = 0; open && turns < QUIET_TURNS; turns++) await turn();
  release();
}
