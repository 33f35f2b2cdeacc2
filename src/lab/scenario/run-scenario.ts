import { z } from 'zod';
import { checkInput, InputError } from '../../base/input/yaml.js';
import { kubeletVersions } from '../../kubelet/config/versions.js';
import { runtimeProfileSchema } from '../../runtime/profiles/index.js';
import { simulateChecked } from './expect/checked-run.js';
import { explain } from './explain/explain.js';
import { loadScenario } from './file/load.js';
import type { LoadedScenario } from './file/loaded-scenario.js';
import { scenarioFiles } from './file/scenario-files.js';
import { runsOf } from './file/variants.js';
import type { Simulation } from './run/run.js';
import type { RunReaderOptions } from './run/run-reader.js';
import {
  type OpenSimulation,
  openSimulation as openParts,
  type SimulationOptions,
} from './simulation/open-simulation.js';
import { simulationParts } from './simulation/simulation-parts.js';

export interface OpenSimulationOptions extends Pick<SimulationOptions, 'seed' | 'profile' | 'latency'> {
  /** For example `1.36`. Default: the scenario's, or one run for each of its variants. */
  readonly kubeletVersion?: string | undefined;
}

/** Options of `runScenario`; all have a default. */
export interface RunScenarioOptions
  extends OpenSimulationOptions,
    Pick<RunReaderOptions, 'onRow' | 'onEvent'> {}

const aFunction = z.custom((value) => typeof value === 'function', 'expected a function').optional();

const openOptionsSchema = z.strictObject({
  kubeletVersion: z.enum(kubeletVersions).optional(),
  seed: z.union([z.int(), z.string()]).optional(),
  profile: runtimeProfileSchema.optional(),
  latency: z.string().optional(),
});

const optionsSchema = openOptionsSchema.extend({ onRow: aFunction, onEvent: aFunction });

/** One run of a scenario. */
export interface ScenarioResult {
  /** `kubelet 1.36`, or the name of the variant. */
  readonly name: string;
  /** One text for each unmet expectation; empty if all are met. */
  readonly problems: readonly string[];
  /** Everything that happened; times are in seconds since the kubelet's start. */
  readonly run: Simulation;
  /** Explanations, one sentence each, as printed by `mockri simulate --explain`. */
  readonly explanation: readonly string[];
}

/**
 * Runs a scenario in virtual time: a file, a bundled scenario (`crash-loop-back-off`), or a result of `loadScenario` or
 * `parseScenario`. Rejects with InputError for a mistake in the file or in the options.
 *
 * @example
 * const [result] = await runScenario('crash-loop-back-off', { kubeletVersion: '1.34' });
 */
export async function runScenario(
  scenario: string | LoadedScenario,
  { kubeletVersion, ...options }: RunScenarioOptions = {},
): Promise<ScenarioResult[]> {
  checkInput({ kubeletVersion, ...options }, optionsSchema, 'runScenario');
  const loaded = await loadedOf(scenario);
  const results: ScenarioResult[] = [];
  for (const { name, scenario: chosen } of runsOf(loaded, kubeletVersion)) {
    const { result, problems } = await simulateChecked({ ...simulationParts, ...options, scenario: chosen });
    results.push({ name, problems, run: result, explanation: explain(result) });
  }
  return results;
}

/**
 * Opens a scenario in virtual time, for a program that controls it: `advance` moves time, `perform` executes a step,
 * and `tape` records everything. Rejects like `runScenario`, and for a scenario with variants without `kubeletVersion`.
 *
 * @example
 * const simulation = await openSimulation('crash-loop-back-off');
 * await simulation.advance(60_000);
 * await simulation.close();
 */
export async function openSimulation(
  scenario: string | LoadedScenario,
  { kubeletVersion, ...options }: OpenSimulationOptions = {},
): Promise<OpenSimulation> {
  checkInput({ kubeletVersion, ...options }, openOptionsSchema, 'openSimulation');
  const [run, ...others] = runsOf(await loadedOf(scenario), kubeletVersion);
  if (run === undefined || others.length > 0)
    throw new InputError([`openSimulation: ${others.length + 1} variants; specify kubeletVersion`]);
  return openParts({ ...simulationParts, ...options, scenario: run.scenario });
}

const loadedOf = async (scenario: string | LoadedScenario): Promise<LoadedScenario> =>
  typeof scenario === 'string' ? loadScenario(oneFile(scenario)) : scenario;

function oneFile(given: string): string {
  const [file, ...others] = scenarioFiles([given]);
  if (file === undefined || others.length > 0)
    throw new InputError([`${given}: ${others.length + 1} scenarios; specify one`]);
  return file;
}
