import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { unmet } from '../../src/scenario/expectations.js';
import { loadScenario } from '../../src/scenario/load.js';
import { runsOf } from '../../src/scenario/variants.js';
import { simulateScenario } from '../support/simulate.js';
import { ofAll, sampleOf } from '../support/thorough.js';

/** Runs that need what containerd 2.1 lacks. */
const LACKING: Readonly<Record<string, string>> = {
  'e06-status-without-containers.yaml, kubelet 1.36 with EventedPLEG': 'statuses of containers in events',
  'list-over-16-mib.yaml, kubelet 1.36 with CRIListStreaming': 'streaming lists',
};

const all = readdirSync('scenarios').filter((file) => file.endsWith('.yaml'));
const files = sampleOf(all.sort(), 4);

test.each(files)(
  `%s happens with containerd 2.1 and its times, too (${ofAll(files.length, all.length, 'scenarios')})`,
  { timeout: 60_000 },
  async (file) => {
    for (const { name, scenario } of runsOf(await loadScenario(join('scenarios', file)))) {
      const problems = unmet(
        scenario.expect,
        await simulateScenario(scenario, { profile: 'containerd-2.1' }),
      );
      const lacks = LACKING[`${file}, ${name}`];
      expect(problems.length > 0, `${name}: ${problems.join('\n')}`).toBe(lacks !== undefined);
    }
  },
);
