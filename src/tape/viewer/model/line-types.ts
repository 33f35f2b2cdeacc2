/** The types of fields, which are the same in all kinds of lines; `named` is an object with a name. */
const TYPES: Readonly<Record<string, 'number' | 'string' | 'boolean' | 'object' | 'named'>> = {
  ...ofType('number', 'call connection timeout exitCode restarts lost delay duration took'),
  ...ofType(
    'string',
    'node method code details rule action on what from text ready status reason field type image probe outcome state peer id taint stream imageCommand by plugin failure',
  ),
  ...ofType('boolean', 'evicting waits'),
  ...ofType('object', 'message'),
  ...ofType('named', 'pod container'),
};

function ofType<T>(type: T, fields: string): Record<string, T> {
  return Object.fromEntries(fields.split(' ').map((field) => [field, type]));
}

/** The first field of a line that has a value of another type than the page expects. */
export const wrongField = (line: object): string | undefined =>
  Object.entries(line).find(
    ([field, value]) => Object.hasOwn(TYPES, field) && !isOf(TYPES[field], value),
  )?.[0];

function isOf(type: string | undefined, value: unknown): boolean {
  if (type !== 'object' && type !== 'named') return typeof value === type;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return type === 'object' || typeof (value as { readonly name?: unknown }).name === 'string';
}
