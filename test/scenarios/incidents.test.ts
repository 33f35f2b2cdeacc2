import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { unmet } from '../../src/lab/scenario/expect/expectations.js';
import { goldenText, readGolden } from '../../src/lab/scenario/expect/golden.js';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import { runsOf, type ScenarioRun } from '../../src/lab/scenario/file/variants.js';
import { timelineText } from '../../src/lab/scenario/output/timeline.js';
import type { Simulation } from '../../src/lab/scenario/run/run.js';
import { simulate } from '../../src/lab/scenario/simulation/simulate.js';
import type { Entry } from '../../src/tape/entries.js';
import { judgeConversation } from '../../src/tape/judge/conversation-judge.js';
import { instanceRules } from '../../src/tape/judge/kubelet/watch-instances.js';
import { createTape, type Tape } from '../../src/tape/tape.js';
import { countOf, ofAll, sampleOf } from '../support/thorough.js';

const ALL_SEEDS = 3;
const SEEDS = countOf(ALL_SEEDS, 1);

const DIRECTORY = 'scenarios';

const runOf = ({ scenario }: ScenarioRun, seed?: number, tape?: Tape): Promise<Simulation> =>
  simulate({
    scenario,
    seed,
    tape,
    backend: createMemoryBackend,
  });

/** What a conversation shows that no container's starts and ends show: a rule that some run of the scenario breaks. */
const SAID: Readonly<Record<string, string>> = {
  'clock-goes-back.yaml': 'REF-04',
  'e01-cache-miss.yaml': 'REF-03',
  'e05-time-from-the-future.yaml': 'INV-31.time',
  'e10-events-out-of-order.yaml': 'INV-29.container',
  'e14-event-without-sandbox.yaml': 'INV-32.contents',
  'evented-events-duplicated.yaml': 'INV-29.container',
};

/** The rules that a run breaks by the runtime's record, and all that the judge finds on its tape. */
async function judgedRun(run: ScenarioRun) {
  const tape = createTape(createVirtualClock());
  const entries: Entry[] = [];
  tape.listen({ entry: (entry) => entries.push(entry) });
  const result = await runOf(run, undefined, tape);
  const judge = judgeConversation({ startedAt: String(tape.startedAt) });
  entries.forEach((entry, index) => {
    judge.give({ line: index + 2, entry });
  });
  const found = judge.finish().map(({ rule }) => rule);
  const names = Object.keys(instanceRules) as (keyof typeof instanceRules)[];
  return {
    result,
    found,
    broken: names.filter((name) => instanceRules[name].check({ run: result }).length > 0),
  };
}

const all = readdirSync(DIRECTORY)
  .filter((file) => file.endsWith('.yaml'))
  .sort();
const some = sampleOf(all, 4);
const seeded = sampleOf(some, 1);

describe.each(some)(`%s (${ofAll(some.length, all.length, 'scenarios')})`, (file) => {
  test('meets its expectations, matches its golden file, has an explanation, and the judge finds its violations', async () => {
    const scenario = await loadScenario(join(DIRECTORY, file));
    const runs = [];
    const rules = new Set<string>();
    for (const run of runsOf(scenario)) {
      const { result, found, broken } = await judgedRun(run);
      expect(
        found.filter((rule) => rule in instanceRules),
        run.name,
      ).toEqual(broken);
      for (const rule of found) rules.add(rule);
      expect(unmet(run.scenario.expect, result), run.name).toEqual([]);
      runs.push({ name: run.name, lines: timelineText(result) });
    }
    const said = SAID[file];
    if (said !== undefined) expect(rules).toContain(said);
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
