import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseScenario } from '../../../src/lab/scenario/file/load.js';
import type { LoadedScenario } from '../../../src/lab/scenario/file/loaded-scenario.js';
import type { Simulation } from '../../../src/lab/scenario/run/run.js';
import type { SimulationOptions } from '../../../src/lab/scenario/simulation/open-simulation.js';
import { simulate } from '../../../src/lab/scenario/simulation/simulate.js';
import { createRecordedNode } from '../recordings/node.js';

const recordingPath = fileURLToPath(new URL('../../oracle/', import.meta.url));
/** The kubelet with all recordings and all manifests. */
const FIRST = 'kubelet-1.36.3';

/** One of the recordings of a real kubelet. */
export const recordedText = (file: string, kubelet = FIRST): string =>
  readFileSync(join(recordingPath, kubelet, file), 'utf8');

/** Lines of a recording. */
export function recorded<T>(file: string, kubelet?: string): T[] {
  const lines = recordedText(file, kubelet).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

export function manifest(name: string): unknown {
  return JSON.parse(recordedText(`manifests/${name}.json`));
}

/** A scenario from its parts; `pods` are names of recorded manifests, which run as static pods. */
export function scenarioOf(given: Record<string, unknown>): Promise<LoadedScenario> {
  return parseScenario(JSON.stringify({ version: 1, ...given }), 'scenario.yaml');
}

export const staticPods = (names: readonly string[]) =>
  names.map((name) => ({ manifest: manifest(name), static: true }));

/** The recorded manifests as static pods with their own names: two of them share another one's name. */
export const namedPods = (names: readonly string[]) =>
  names.map((name) => {
    const given = manifest(name) as { readonly metadata: object };
    return { manifest: { ...given, metadata: { ...given.metadata, name } }, static: true };
  });

/** Runs a scenario on the memory backend, with the images of the recordings. */
export async function run(
  given: Record<string, unknown>,
  options: Partial<SimulationOptions> = {},
): Promise<Simulation> {
  return simulateScenario(await scenarioOf(given), options);
}

export function simulateScenario(
  scenario: LoadedScenario,
  options: Partial<SimulationOptions> = {},
): Promise<Simulation> {
  return simulate({ scenario, backend: createRecordedNode, ...options });
}
