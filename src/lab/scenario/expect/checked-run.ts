import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import type { RunBreach } from '../../../tape/judge/kubelet/rule.js';
import { type RunRuleName, runRules } from '../../../tape/judge/kubelet/table.js';
import { createTape } from '../../../tape/tape.js';
import type { LoadedScenario } from '../file/loaded-scenario.js';
import { allPods } from '../file/pods.js';
import type { Simulation } from '../run/run.js';
import type { RunReaderOptions } from '../run/run-reader.js';
import type { SimulationOptions } from '../simulation/open-simulation.js';
import { simulate } from '../simulation/simulate.js';
import { unmet } from './expectations.js';
import { type KeptTape, keepTape } from './kept-tape.js';
import type { Oracle } from './oracle.js';

export interface CheckedRun {
  readonly result: Simulation;
  /** One text for each unmet expectation. */
  readonly problems: readonly string[];
}

export interface BrokenRule extends RunBreach {
  readonly name: RunRuleName;
}

export interface CheckedOptions extends SimulationOptions, RunReaderOptions {
  readonly oracle?: Oracle | undefined;
}

export async function simulateChecked(options: CheckedOptions): Promise<CheckedRun> {
  const { oracle } = options;
  const { expect, until } = options.scenario;
  const needsTape = oracle !== undefined || expect.rules.some(({ name }) => name === 'conversation');
  const { tape = createTape(createVirtualClock()) } = options;
  const kept = needsTape ? keepTape(tape) : undefined;
  const result = await simulate({ ...options, tape });
  const broken = await brokenRules(options.scenario, result, expect.rules, kept);
  const wrong = (kept && (await oracle?.({ entries: kept.entries, until }))) ?? [];
  const problems = [
    ...unmet(expect, result),
    ...broken.map(textOf),
    ...wrong.map((text) => `oracle: ${text}`),
  ];
  return { result, problems };
}

/** Checks these rules. Without a tape, skips the rules for calls. */
export async function brokenRules(
  scenario: LoadedScenario,
  run: Simulation,
  rules: LoadedScenario['expect']['rules'],
  tape?: KeptTape,
): Promise<BrokenRule[]> {
  if (rules.length === 0) return [];
  const judged = (await tape?.judge()) ?? [];
  const facts = { run, judged, pods: allPods(scenario), end: scenario.until / 1000 };
  return rules.flatMap(({ name, from }) =>
    runRules[name].check({ ...facts, from: from / 1000 }).map((breach) => ({ name, ...breach })),
  );
}

const textOf = ({ name, rule, message }: BrokenRule): string =>
  `rule ${rule ?? name} (${runRules[name].title}) is broken: ${message}`;
