import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unmet } from '../../src/lab/scenario/expect/expectations.js';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import { runsOf } from '../../src/lab/scenario/file/variants.js';
import type { Simulation } from '../../src/lab/scenario/run/run.js';
import { simulateScenario } from '../support/scenario/simulate.js';
import { ofAll, sampleOf } from '../support/thorough.js';

/** Over a socket the client rejects the oversized reply, with a different message. */
const TOLD_OTHERWISE = 'list-over-16-mib.yaml';

/**
 * Runs in which events arrive at the very instant of a list or of a reply. Which comes first depends on the transport, and
 * so do the calls that follow; rows, events and everything else are equal.
 */
const RACING: readonly string[] = [
  'e03-slow-deletion.yaml, kubelet 1.37 with EventedPLEG',
  'e09-event-channel-full.yaml, kubelet 1.37',
];

/** The runtime ends while three parts of the kubelet call it. Which of them logs first depends on the transport. */
const ENDS_UNDER_CALLS = 'evented-state-lost.yaml';

const all = readdirSync('scenarios').filter((file) => file.endsWith('.yaml'));
const files = sampleOf(all.sort(), 1);

test.each(files)(
  `%s meets its expectations over a socket, with the same result as in process (${ofAll(files.length, all.length, 'scenarios')})`,
  async (file) => {
    for (const { name, scenario } of runsOf(await loadScenario(join('scenarios', file)))) {
      const over = await simulateScenario(scenario, { over: 'socket' });
      const within = await simulateScenario(scenario);
      expect(unmet(scenario.expect, over), name).toEqual([]);
      if (file === TOLD_OTHERWISE) continue;
      const inOrder = file === ENDS_UNDER_CALLS ? withSortedLog : told;
      const compared = RACING.includes(`${file}, ${name}`) ? withoutCalls : inOrder;
      expect(compared(over), name).toEqual(compared(within));
    }
  },
);

/** What happened, in order; for calls only the instant. */
function told(run: Simulation): unknown {
  const calls = run.calls.map(({ t, rpc }) => `${t.toFixed(3).padStart(10)} ${rpc}`).sort();
  return { ...withoutCalls(run), calls };
}

/** With the log lines of one instant in the order of their texts. */
function withSortedLog(run: Simulation): unknown {
  const log = run.log.toSorted((a, b) => a.t - b.t || (a.text < b.text ? -1 : 1));
  return told({ ...run, log });
}

function withoutCalls({ entries: _, metrics: __, calls: ___, ...rest }: Simulation): object {
  return rest;
}
