import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unmet } from '../../src/scenario/expectations.js';
import { loadScenario } from '../../src/scenario/load.js';
import type { Simulation } from '../../src/scenario/record.js';
import { runsOf } from '../../src/scenario/variants.js';
import { simulateScenario } from '../support/simulate.js';

/** There it is the client that refuses a reply which is too large, and says so in other words. */
const TOLD_OTHERWISE = 'list-over-16-mib.yaml';

const files = readdirSync('scenarios').filter((file) => file.endsWith('.yaml'));

test.each(files)(
  '%s goes as expected over a socket, and as in process unless events race',
  { timeout: 120_000 },
  async (file) => {
    for (const { name, scenario } of runsOf(await loadScenario(join('scenarios', file)))) {
      const over = await simulateScenario(scenario, { over: 'socket' });
      const within = await simulateScenario(scenario);
      expect(unmet(scenario.expect, over), name).toEqual([]);
      // Events race with lists and replies at one instant; who wins is another one over a socket.
      const hasEvents = within.calls.some(({ rpc }) => rpc === 'GetContainerEvents');
      if (!hasEvents && file !== TOLD_OTHERWISE) expect(told(over), name).toEqual(told(within));
    }
  },
);

/** What happened, in order; of calls only at which instant. */
function told({ entries: _, metrics: __, calls, ...rest }: Simulation): unknown {
  return { ...rest, calls: calls.map(({ t, rpc }) => `${t.toFixed(3).padStart(10)} ${rpc}`).sort() };
}
