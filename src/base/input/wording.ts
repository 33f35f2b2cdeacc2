import type { z } from 'zod';

/** Beginnings of zod's own messages; a schema's own message, given as `error`, stays unchanged. */
const OWN_TEXT = /^(Invalid|Too (big|small)|Unrecognized)\b/;

const MOST_NAMES = 25;

const KINDS: Readonly<Record<string, string>> = {
  object: 'a mapping',
  record: 'a mapping',
  array: 'a list',
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'nothing',
};

export const hasOwnText = (issue: z.core.$ZodIssue): boolean => OWN_TEXT.test(issue.message);

/** The schema's expectation: `expected a mapping with code, message`. `keys` are those of a mapping. */
export function expectationOf(issue: z.core.$ZodIssue, keys: readonly string[]): string {
  if (!hasOwnText(issue)) return issue.message;
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined)
    return `expected ${listed(((issue as { readonly options?: readonly unknown[] }).options ?? []).map(String))}`;
  switch (issue.code) {
    case 'invalid_type': {
      const kind = KINDS[issue.expected] ?? issue.expected;
      return `expected ${kind}${issue.expected === 'object' && keys.length > 0 ? ` with ${enumerated(keys)}` : ''}`;
    }
    case 'invalid_value':
      return `expected ${listed(issue.values.map(String))}`;
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${size(issue.minimum, issue.origin)}`;
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${size(issue.maximum, issue.origin)}`;
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}

/** Joins alternatives: `expected a, or b`. */
export const alternatives = (expectations: readonly string[]): string =>
  [...new Set(expectations)]
    .map((text, index) => (index === 0 ? text : text.replace(/^expected /, '')))
    .join(', or ');

export const enumerated = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;

export function thereAre(names: readonly string[]): string {
  if (names.length === 0) return 'there are none';
  return names.length === 1 ? `there is only ${names[0]}` : `there are ${enumerated(names)}`;
}

const listed = (values: readonly string[]): string =>
  values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'element', map: 'key' };

function size(limit: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  return unit === undefined ? String(limit) : `${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`;
}
