import { expect, test, vi } from 'vitest';
import { observe } from '../../src/lab/explore/run/observe.js';
import { writeCauses } from '../../src/lab/reproduce/report/write.js';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import { useTemporaryDirectory } from '../support/temporary.js';
import { ask } from './blind/ask.js';
import { caseOf } from './blind/cases.js';

vi.setConfig({ testTimeout: 300_000 });

const directory = useTemporaryDirectory();

test.each(['start-hangs', 'e13-stale-status'])(
  'the scenario of each cause of %s shows the same as the answer, from its file alone',
  async (name) => {
    const { result } = await ask(await caseOf(name), 'each second', 40);
    const files = await writeCauses(result.causes, directory);
    expect(files.length).toBeGreaterThan(0);
    for (const [index, file] of files.entries()) {
      const { run } = await observe(await loadScenario(file));
      const cause = result.causes[index];
      expect(run?.rows, `${file}: ${cause?.cause}`).toEqual(cause?.run.rows);
    }
  },
);
