import { beforeAll, expect, test } from 'vitest';
import { unmet } from '../../src/lab/scenario/expect/expectations.js';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import type { LoadedScenario } from '../../src/lab/scenario/file/loaded-scenario.js';
import { simulateScenario } from '../support/scenario/simulate.js';
import { countOf, ofAll, sampleOf } from '../support/thorough.js';

const ALL_SEEDS = 10;
const SEEDS = countOf(ALL_SEEDS, 1);

let scenario: LoadedScenario;

beforeAll(async () => {
  scenario = await loadScenario('scenarios/liveness-crash-loop.yaml');
});

/** One version per rule set: fixed requeue, requeue at the end of the back-off, relist on demand. */
test.each(sampleOf(['1.36', '1.30', '1.35'], 1))(
  `kubelet %s produces the rows of the experiment with ${ofAll(SEEDS, ALL_SEEDS, 'seeds')}`,
  async (kubeletVersion) => {
    for (let seed = 1; seed <= SEEDS; seed++) {
      const result = await simulateScenario(
        { ...scenario, kubelet: { ...scenario.kubelet, version: kubeletVersion } },
        { seed },
      );
      expect(unmet(scenario.expect, result), `seed ${seed}`).toEqual([]);
    }
  },
);
