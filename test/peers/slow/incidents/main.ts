// A table of incidents on the real kubelets that are built: main.ts FILE [NAME...]. Each cell names the variants of the
// scenario whose expectations are met on that kubelet.
import { appendFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import { InputError } from '../../../../src/base/input/yaml.js';
import { type BuiltProgram, builtPrograms } from '../../../../src/kubelet/hosts/virtual/build/cache.js';
import { minorOf } from '../../../../src/kubelet/hosts/virtual/kubelet-program.js';
import { unmet } from '../../../../src/lab/scenario/expect/expectations.js';
import { loadScenario } from '../../../../src/lab/scenario/file/load.js';
import type { LoadedScenario } from '../../../../src/lab/scenario/file/loaded-scenario.js';
import { runsOf, type ScenarioRun } from '../../../../src/lab/scenario/file/variants.js';
import type { Simulation } from '../../../../src/lab/scenario/run/run.js';
import { simulate } from '../../../../src/lab/scenario/simulation/simulate.js';
import { scenarioKubelet } from '../../../../src/lab/scenario/simulation/simulated-node.js';

/** One kubelet's results in a scenario. */
interface Cell {
  /** Names of the variants whose expectations are met. */
  readonly holds: readonly string[];
  /** Failed expectations with the version that the incident names. */
  readonly problems: readonly string[];
}

/** HTTP/2 of Node refuses the requests of 1.28 (docs/kubelet.md). */
const kubelets = builtPrograms().filter(
  ({ program, isCurrent, version }) => program === 'kubelet' && isCurrent && !version.startsWith('1.28.'),
);

/** The scenario's variants by kubelet settings: one run serves all with equal ones. */
function byKubelet(scenario: LoadedScenario): ScenarioRun[][] {
  const groups = new Map<string, ScenarioRun[]>();
  // The other design of the evented PLEG was never released.
  for (const run of runsOf(scenario).filter((each) => each.scenario.kubelet.evented === undefined)) {
    const { version: _, ...settings } = run.scenario.kubelet;
    const key = JSON.stringify(settings);
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
}

/** Whether a kubelet of this version supports the scenario's settings: gates are added and removed. */
function canHave(scenario: LoadedScenario, minor: string): boolean {
  try {
    scenarioKubelet({ ...scenario, kubelet: { ...scenario.kubelet, version: minor } });
    return true;
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

/** The simulation, or the error that ended it. */
async function run(scenario: LoadedScenario, program: string): Promise<Simulation | string> {
  try {
    const backend = createMemoryBackend;
    return await simulate({ scenario, program, backend });
  } catch (error) {
    return (error as Error).message;
  }
}

async function cellOf(scenario: LoadedScenario, { file, version }: BuiltProgram): Promise<Cell> {
  const minor = minorOf({ path: file, version });
  const holds: string[] = [];
  const problems: string[] = [];
  for (const group of byKubelet(scenario)) {
    const [{ scenario: first }] = group as [ScenarioRun];
    if (!canHave(first, minor)) continue;
    const result = await run({ ...first, kubelet: { ...first.kubelet, version: minor } }, file);
    if (typeof result === 'string') {
      problems.push(result);
      continue;
    }
    for (const { name, scenario: variant } of group) {
      const wrong = unmet(variant.expect, result);
      if (wrong.length === 0) holds.push(name);
      else if (variant.kubelet.version === minor) problems.push(`${name}: ${wrong.join('; ')}`);
    }
  }
  return { holds, problems };
}

const shown = ({ holds, problems }: Cell): string =>
  `${holds.map((name) => name.replace(/^kubelet /, '')).join(', ') || 'none'}${problems.length > 0 ? ' **differs**' : ''}`;

const [table = '', ...names] = process.argv.slice(2);
const line = (cells: readonly string[]) => appendFileSync(table, `| ${cells.join(' | ')} |\n`);
const all = readdirSync('scenarios').filter((name) => /^(e\d\d|evented)-.*\.yaml$/.test(name));
line(['incident', ...kubelets.map(({ version }) => version)]);
line(['---', ...kubelets.map(() => '---')]);
let differing = 0;
for (const name of all.map((each) => basename(each, '.yaml'))) {
  if (names.length > 0 && !names.includes(name)) continue;
  const scenario = await loadScenario(`scenarios/${name}.yaml`);
  const cells: Cell[] = [];
  for (const kubelet of kubelets) cells.push(await cellOf(scenario, kubelet));
  line([`\`${name}\``, ...cells.map(shown)]);
  const problems = cells.flatMap((cell) => cell.problems);
  differing += problems.length;
  console.error(`${name}: ${problems.join('\n    ') || 'as expected'}`);
}
console.log(`${kubelets.length} kubelets, ${differing} variants not as expected`);
process.exit(differing === 0 ? 0 : 1);
