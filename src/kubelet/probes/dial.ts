import type { Clock } from '../../base/clock/clock.js';
import { restOfInstant } from '../../base/clock/instant.js';
import { turn } from '../../base/clock/turn.js';
import type { Connection, Network } from '../../base/network/network.js';

/**
 * Number of event loop turns without activity after which a server that speaks TLS or HTTP/2 is assumed to wait for time
 * to pass: Node handles both outside of the tasks that a virtual clock waits for.
 */
const QUIET_TURNS = 100;

/** Address that Go dials for an empty host. */
export const LOCAL = '127.0.0.1';

/** What a handler connects with. */
export interface Dialer {
  readonly clock: Clock;
  /** The node's. */
  readonly network: Network;
}

/**
 * Opens a connection; an empty host means the node. The abort of the signal destroys it. Rejects with the socket's
 * error.
 */
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
  // The other end may be gone when it is asked.
  await restOfInstant(clock);
  return connection;
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
