import { InputError } from '../../../base/input/yaml.js';

export interface VariedField {
  /** As given: `readinessProbe.periodSeconds`. */
  readonly name: string;
  readonly path: readonly string[];
  /** Undefined to derive values from the field. */
  readonly values: readonly string[] | undefined;
}

/** Maximum number of values per field: each one is a run. */
const MOST_VALUES = 50;

/**
 * Parses `readinessProbe.periodSeconds=1,5,10`, `latency.pull=1s,1m` or `runtime latency`. Values that contain commas
 * are separated by `|`. Throws Error with a description.
 */
export function parseVaried(text: string): VariedField {
  const at = text.indexOf('=');
  const name = (at < 0 ? text : text.slice(0, at)).trim();
  const path = name.split(/[\s.]+/).filter((part) => part !== '');
  if (path.length === 0)
    throw new Error(
      'expected a field, such as "latency", or one with values, such as "periodSeconds=1,5,10"',
    );
  if (at < 0) return { name, path: withoutAlias(path), values: undefined };
  const given = text.slice(at + 1);
  const values = given.split(given.includes('|') ? '|' : ',').map((value) => value.trim());
  if (values.some((value) => value === '')) throw new Error(`expected values after "${name}="`);
  if (values.length > MOST_VALUES) throw new Error(`expected at most ${MOST_VALUES} values`);
  return { name, path: withoutAlias(path), values };
}

/** `runtime latency` is an alias of the scenario's `latency`. */
const withoutAlias = (path: readonly string[]): readonly string[] =>
  path[0] === 'runtime' && path[1] === 'latency' ? path.slice(1) : path;

export const unknownField = ({ name }: VariedField, hint: string): InputError =>
  new InputError([`--vary: ${name}: ${hint}`]);
