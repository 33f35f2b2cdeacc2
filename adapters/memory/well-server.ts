import type { Clock } from '../../src/base/clock/clock.js';
import type { Place } from '../../src/base/network/network.js';
import { createAnyServer } from '../../src/linux/commands/network/any-server.js';

/** A separate address: pods have their own loopback, and reach this one only through a Service. */
const ADDRESS = '127.0.0.2';

/** Opens a healthy server for a Service without pods in this process. It ends with the clock. */
export function openWellServer(clock: Clock): Place {
  const answers = { status: () => 200, isWell: () => true };
  const { port } = clock.loopback.listen(ADDRESS, 0, createAnyServer(clock, answers));
  return { address: ADDRESS, port };
}
