import type { Clock } from '../../base/clock/clock.js';
import { restOfInstant } from '../../base/clock/instant.js';
import { turn } from '../../base/clock/turn.js';
import type { Connection, Network } from '../../base/network/network.js';

/**
 * Turns of the event loop without activity after which a TLS or HTTP/2 server must be waiting for time to pass: Node
 * processes both outside the tasks that a virtual clock waits for.
 */
const QUIET_TURNS = 100;

/** Go dials this address for an empty host. */
export const LOCAL = '127.0.0.1';

export interface Dialer {
  readonly clock: Clock;
  readonly network: Network;
}

/** An empty host means the node. Aborting the signal destroys the connection. Rejects with the socket's error. */
export async function dial(
  { clock, network }: Dialer,
  host: string,
  port: number,
  signal: AbortSignal,
): Promise<Connection> {
  signal.throwIfAborted();
  const connection = await network.connect(host || LOCAL, port, signal);
  const drop = () => void connection.destroy();
  signal.addEventListener('abort', drop, { once: true });
  connection.once('close', () => signal.removeEventListener('abort', drop));
  // The peer may be gone by then.
  await restOfInstant(clock);
  return connection;
}

/** Holds a virtual clock until the promise settles, or for a limited number of event loop turns. */
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
