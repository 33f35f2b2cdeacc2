import { resolve } from 'node:path';
import { formatDuration, parseDuration } from '../../../base/input/duration.js';
import { InputError } from '../../../base/input/yaml.js';
import { loadYaml } from '../../../base/input/yaml-document.js';
import { kubeletVersions } from '../../../kubelet/config/versions.js';
import { runtimeProfileNames } from '../../../runtime/profiles/index.js';
import { parseScenario } from '../file/load.js';
import type { LoadedPod, LoadedScenario } from '../file/loaded-scenario.js';
import { scenarioText } from '../file/scenario-text.js';
import { unknownField, type VariedField } from './field.js';
import { placesOf } from './places.js';

const FACTORS = [0.5, 1, 2];

const distinct = (values: readonly string[]): string[] => [...new Set(values)];

/** A scenario with other values, and its column title: `periodSeconds=5`. */
export interface VariedScenario {
  readonly name: string;
  readonly scenario: LoadedScenario;
}

const MOST = 100;

/**
 * A scenario for each combination of values, without expectations, which are for the original values. Throws InputError
 * for an unknown field, and for a value that the field does not allow.
 */
export async function variedScenarios(
  given: LoadedScenario,
  fields: readonly VariedField[],
): Promise<VariedScenario[]> {
  const choices = fields.map((field) => ({ field, values: field.values ?? valuesOf(given, field) }));
  const count = choices.reduce((product, { values }) => product * values.length, 1);
  if (count > MOST)
    throw new InputError([`--vary: ${count} combinations of values; at most ${MOST} are supported`]);
  let varied: VariedScenario[] = [{ name: '', scenario: { ...given, variants: [] } }];
  for (const { field, values } of choices) {
    const each = await Promise.all(varied.map((one) => withValues(one, field, values)));
    varied = each.flat();
  }
  return varied;
}

async function withValues(
  { name, scenario }: VariedScenario,
  field: VariedField,
  values: readonly string[],
): Promise<VariedScenario[]> {
  const made: VariedScenario[] = [];
  for (const value of values) {
    const column = [name, `${field.name}=${value}`].filter((part) => part !== '').join(' ');
    made.push({ name: column, scenario: await withValue(scenario, field, value) });
  }
  return made;
}

function valuesOf(scenario: LoadedScenario, field: VariedField): string[] {
  const [place] = placesOf(writtenOf(scenario), field.path);
  if (place === undefined) throw missing(field);
  const values = ownValues(field.path, place.value);
  if (values === undefined) throw unknownField(field, `give the values to compare: "${field.name}=1,2"`);
  return values;
}

/** Default values to compare: the choices of a field, or half and twice its value. Undefined if there are none. */
export function ownValues(path: readonly string[], value: unknown): string[] | undefined {
  const name = path.join('.');
  if (name === 'latency') return ['none', 'profile'];
  if (name === 'runtime') return [...runtimeProfileNames];
  if (name === 'kubelet.version') return [...kubeletVersions];
  if (path.includes('featureGates') || typeof value === 'boolean') return ['false', 'true'];
  if (typeof value === 'number' && value > 0)
    return distinct(FACTORS.map((factor) => String(Math.max(1, Math.round(value * factor)))));
  const time = typeof value === 'string' ? parseDuration(value) : undefined;
  if (time === undefined || time <= 0) return undefined;
  return distinct(FACTORS.map((factor) => formatDuration(time * factor)));
}

/** Parses a value as YAML, but keeps text where text was, or where a version would become a number. */
export function toValue(path: readonly string[], before: unknown, text: string): unknown {
  const isText = typeof before === 'string' || path.at(-1) === 'version' || path.includes('behaviors');
  return isText ? text : loadYaml().parse(text);
}

async function withValue(
  scenario: LoadedScenario,
  field: VariedField,
  value: string,
): Promise<LoadedScenario> {
  const written = writtenOf(scenario);
  const places = placesOf(written, field.path);
  if (places.length === 0) throw missing(field);
  for (const { parent, key, value: before } of places)
    (parent as Record<string | number, unknown>)[key] = toValue(field.path, before, value);
  try {
    const made = await parseScenario(JSON.stringify(written), scenario.file, scenario);
    const { title, see, why, fix, isMade, assumed } = scenario;
    return { ...made, title, see, why, fix, isMade, assumed };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const [first] = error.details;
    const problem = first === undefined ? error.message : `${first.field}: ${first.message}`;
    throw new InputError([`--vary: ${field.name}=${value}: ${problem}`]);
  }
}

const missing = (field: VariedField): InputError =>
  unknownField(
    field,
    'neither the scenario nor its pods and containers have such a field; include the object that has it, as in "readinessProbe.periodSeconds"',
  );

function writtenOf(scenario: LoadedScenario): Record<string, unknown> {
  const whole = { ...scenario, pods: scenario.pods.flatMap((pod) => withManifest(scenario, pod)) };
  const story = { title: '', see: '', why: '', expect: {} };
  return loadYaml().parse(scenarioText(whole, story, resolve(scenario.file, '..')));
}

function withManifest({ manifests }: LoadedScenario, { file, ...pod }: LoadedPod): LoadedPod[] {
  const text = file === undefined ? undefined : manifests.get(file);
  if (text === undefined) return [{ ...pod, ...(file !== undefined && { file }) }];
  return loadYaml()
    .parseAllDocuments(text)
    .flatMap((document) => {
      const manifest = document.toJS();
      return manifest === null ? [] : [{ ...pod, manifest }];
    });
}
