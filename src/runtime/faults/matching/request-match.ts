import { camelCase } from '../../../cri/field-name.js';
import { compilePattern } from '../language/pattern.js';

export type ValueTest = (value: unknown) => boolean;

/**
 * Compiles a partial deep match. Strings are patterns; numbers match 64-bit fields too; a list matches if each of its
 * members matches some element; a single value matches a repeated field if some element does.
 */
export function compileValueTest(expected: unknown): ValueTest {
  if (typeof expected === 'string') return anyElement(textTest(expected));
  if (Array.isArray(expected)) return listTest(expected.map(compileValueTest));
  if (expected !== null && typeof expected === 'object') return anyElement(fieldsTest(expected));
  if (expected === null) return (value) => value === undefined || value === null;
  return anyElement(
    (value) => value === expected || (typeof value === 'bigint' && Number(value) === expected),
  );
}

function textTest(source: string): ValueTest {
  const matches = compilePattern(source);
  return (value) => {
    if (typeof value === 'string') return matches(value);
    if (Buffer.isBuffer(value)) return matches(value.toString('utf8'));
    return typeof value === 'bigint' && matches(String(value));
  };
}

function listTest(members: readonly ValueTest[]): ValueTest {
  return (value) =>
    Array.isArray(value) && members.every((member) => value.some((element) => member(element)));
}

function fieldsTest(expected: object): ValueTest {
  const tests = Object.entries(expected).map(([key, part]) => [key, compileValueTest(part)] as const);
  return (value) => {
    if (value === null || typeof value !== 'object') return false;
    const fields = value as Readonly<Record<string, unknown>>;
    return tests.every(([key, test]) => test(field(fields, key) ?? field(fields, camelCase(key))));
  };
}

/** Only own fields: every object inherits `constructor`. */
const field = (fields: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(fields, name) ? fields[name] : undefined;

const anyElement =
  (test: ValueTest): ValueTest =>
  (value) =>
    Array.isArray(value) ? value.some(test) : test(value);
