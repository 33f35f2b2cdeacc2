import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseYaml } from '../input/yaml.js';
import { type Scenario, scenarioSchema } from './schema.js';

/** A scenario with the text of the manifests that it refers to. */
export interface LoadedScenario extends Scenario {
  readonly file: string;
  /** Text of every manifest file, by the path that the scenario gives. */
  readonly manifests: ReadonlyMap<string, string>;
}

/** Reads a scenario and its manifests. Throws InputError with file and line of what is wrong. */
export async function loadScenario(file: string): Promise<LoadedScenario> {
  return parseScenario(await readFile(file, 'utf8'), file);
}

export async function parseScenario(text: string, file: string): Promise<LoadedScenario> {
  const scenario = parseYaml(text, scenarioSchema, file);
  const added = scenario.timeline.flatMap(({ do: { addPod } }) => (addPod === undefined ? [] : [addPod]));
  const manifests = new Map<string, string>();
  for (const { file: path } of [...scenario.pods, ...added]) {
    if (path === undefined || manifests.has(path)) continue;
    manifests.set(path, await readFile(resolve(dirname(file), path), 'utf8'));
  }
  return { ...scenario, file, manifests };
}
