import { connect, type Socket } from 'node:net';
import type { Clock } from '../../clock/clock.js';
import { isLoopback, type LoopbackSocket } from '../../clock/loopback.js';
import { turn } from '../../clock/turn.js';

/**
 * Event loop turns after which a server that the virtual clock does not know is taken to wait for time to pass. It
 * is a guess: a server of another process can't say whether it sleeps or has not been given the processor yet.
 */
const QUIET_TURNS = 100;

export type Connection = Socket | LoopbackSocket;

/** Opens a connection; it is destroyed when the signal aborts. Rejects with the socket's error. */
export async function dial(
  clock: Clock,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<Connection> {
  const connection = clock.loopback?.connect(host, port) ?? (await dialReally(clock, host, port, signal));
  if (signal.aborted) connection.destroy();
  else signal.addEventListener('abort', () => connection.destroy(), { once: true });
  return connection;
}

/** A virtual clock stands still until the kernel has decided, which for an address of this machine it does by itself. */
async function dialReally(clock: Clock, host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port });
  const opened = new Promise<Socket>((resolve, reject) => {
    socket.once('connect', () => resolve(socket)).once('error', reject);
    signal.addEventListener('abort', () => socket.destroy(signal.reason), { once: true });
  });
  if (clock.kind !== 'virtual') return opened;
  if (isLoopback(host)) {
    const release = clock.hold();
    opened.finally(release).catch(() => {});
  } else void untilQuiet(clock, opened);
  await opened;
  void untilQuiet(clock, new Promise<void>((resolve) => socket.once('close', () => resolve())));
  return socket;
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
