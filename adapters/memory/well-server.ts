import type { Clock } from '../../src/base/clock/clock.js';
import type { Place } from '../../src/base/network/network.js';
import { createAnyServer } from '../../src/linux/commands/network/any-server.js';

/** Its own address: what pods call loopback is theirs, so that they come here only by a Service. */
const ADDRESS = '127.0.0.2';

/** Opens a server that is well, in place of one that runs where this process has no pods. It ends with the clock. */
export function openWellServer(clock: Clock): Place {
  const answers = { status: () => 200, isWell: () => true };
  const { port } = clock.loopback.listen(ADDRESS, 0, createAnyServer(clock, answers));
  return { address: ADDRESS, port };
}
