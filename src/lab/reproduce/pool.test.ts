import { expect, test } from 'vitest';
import { loadSubject } from '../explore/subject/subject.js';
import { joinSeen } from './join-seen.js';
import { createLocalRuns } from './pool.js';
import { readLines } from './read/read-lines.js';
import { plan } from './search/trials.js';

test('when the budget is used up, the rest of a round is left undone', async () => {
  const scenario = await loadSubject(['test/explore/replay/shapes/one-container.yaml']);
  const seen = joinSeen([readLines('web 1/1 Running 0 12s', 'saw.txt').seen], new Map([['web', 0]]));
  const pool = createLocalRuns({ bases: [{ ...scenario, until: 5000 }], seen });
  const runs = ['1.35', '1.36', '1.37'].map((version) => plan({ base: 0, version, runtime: 'strict' }, []));
  let asked = 0;
  expect(await pool.run(runs, () => ++asked > 1)).toHaveLength(1);
});
