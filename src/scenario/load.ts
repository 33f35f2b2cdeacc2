import { dirname, resolve } from 'node:path';
import type { FaultInput, FaultSpec } from '../faults/language/rule-schema.js';
import { pairRules, type WrittenRule } from '../faults/language/written-rule.js';
import { readTextFile } from '../input/text-file.js';
import { readYaml } from '../input/yaml.js';
import { type Scenario, type ScenarioAction, scenarioSchema } from './schema.js';

/** A step of the timeline. */
export type LoadedAction = Omit<ScenarioAction, 'addFault'> & { readonly addFault?: WrittenRule | undefined };

/** A scenario with the text of the manifests that it refers to. */
export interface LoadedScenario extends Omit<Scenario, 'faults' | 'timeline'> {
  readonly file: string;
  readonly faults: readonly WrittenRule[];
  readonly timeline: readonly { readonly at: number; readonly do: LoadedAction }[];
  /** Text of every manifest file, by the path that the scenario gives. */
  readonly manifests: ReadonlyMap<string, string>;
}

/** Reads a scenario and its manifests. Throws InputError with file and line of what is wrong. */
export async function loadScenario(file: string): Promise<LoadedScenario> {
  return parseScenario(readTextFile(file), file);
}

/** The same of a text that is read already; manifests are relative to `file`. */
export async function parseScenario(text: string, file: string): Promise<LoadedScenario> {
  const { value: scenario, written } = readYaml(text, scenarioSchema, file);
  const timeline = scenario.timeline.map(({ at, do: action }, index) => ({
    at,
    do: { ...action, addFault: ruleOf(written.timeline?.[index]?.do.addFault, action.addFault) },
  }));
  const faults = pairRules(written.faults ?? [], scenario.faults);
  const added = timeline.flatMap(({ do: { addPod } }) => addPod ?? []);
  const manifests = new Map<string, string>();
  for (const { file: path } of [...scenario.pods, ...added]) {
    if (path === undefined || manifests.has(path)) continue;
    manifests.set(path, readTextFile(resolve(dirname(file), path)));
  }
  return { ...scenario, faults, timeline, file, manifests };
}

const ruleOf = (written: FaultInput | undefined, spec: FaultSpec | undefined): WrittenRule | undefined =>
  written && spec && { written, spec };
