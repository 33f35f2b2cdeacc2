import { connect, type Socket } from 'node:net';
import type { Clock } from '../../clock/clock.js';
import { isLoopback, type LoopbackSocket } from '../../clock/network/loopback.js';
import { turn } from '../../clock/turn.js';

/**
 * Event loop turns after which a server that the virtual clock does not know is taken to wait for time to pass. It
 * is a guess: a server of another process can't say whether it sleeps or has not been given the processor yet.
 */
const QUIET_TURNS = 100;

/** What Go dials for an empty host. */
export const LOCAL = '127.0.0.1';

/** A real socket, or one of the simulated network of a virtual clock. */
export type Connection = Socket | LoopbackSocket;

/**
 * Opens a connection, to this machine if there is no host; it is destroyed when the signal aborts. Rejects with the
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
  return connection;
}

/** A virtual clock stands still until the kernel has decided, which for an address of this machine it does by itself. */
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

/** Holds a virtual clock until something has come to its end, or for so many turns. */
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
