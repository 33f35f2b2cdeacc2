import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { unmet } from '../../src/lab/scenario/expect/expectations.js';
import { goldenText, readGolden } from '../../src/lab/scenario/expect/golden.js';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import { runsOf, type ScenarioRun } from '../../src/lab/scenario/file/variants.js';
import { timelineText } from '../../src/lab/scenario/output/timeline.js';
import type { Simulation } from '../../src/lab/scenario/run/run.js';
import { simulate } from '../../src/lab/scenario/simulation/simulate.js';
import { countOf, ofAll, sampleOf } from '../support/thorough.js';

const ALL_SEEDS = 3;
const SEEDS = countOf(ALL_SEEDS, 1);

const DIRECTORY = 'scenarios';

const runOf = ({ scenario }: ScenarioRun, seed?: number): Promise<Simulation> =>
  simulate({
    scenario,
    seed,
    backend: createMemoryBackend,
  });

const all = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith('.yaml'))
  .sort();
const some = sampleOf(all, 9);
const seeded = sampleOf(some, 2);

describe.each(some)(`%s (${ofAll(some.length, all.length, 'scenarios')})`, (file) => {
  test('meets its expectations, matches its golden file, and has an explanation', async () => {
    const scenario = await loadScenario(join(DIRECTORY, file));
    const runs = [];
    for (const run of runsOf(scenario)) {
      const result = await runOf(run);
      expect(unmet(run.scenario.expect, result), run.name).toEqual([]);
      runs.push({ name: run.name, lines: timelineText(result) });
    }
    expect(goldenText(scenario.title, runs)).toBe(await readGolden(scenario.file));
    for (const text of [scenario.title, scenario.see, scenario.why, scenario.fix]) expect(text).not.toBe('');
  });

  if (!seeded.includes(file)) return;
  test(`meets its expectations with ${ofAll(SEEDS, ALL_SEEDS, 'seeds')}, its variants in turn (${ofAll(seeded.length, all.length, 'scenarios')})`, async () => {
    const runs = runsOf(await loadScenario(join(DIRECTORY, file)));
    for (let seed = 1; seed <= SEEDS; seed++) {
      const run = runs[seed % runs.length] as ScenarioRun;
      const result = await runOf(run, seed);
      expect(unmet(run.scenario.expect, result), `${run.name}, seed ${seed}`).toEqual([]);
    }
  });
});
