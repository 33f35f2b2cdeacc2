import { isObject } from '../../input/object.js';

/** A value without fields that are null: for an API server they are not set. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === null ? [] : [[key, withoutNulls(each)]])),
  );
}

/** What of a written value was read, as it is written. The paths of what was not are added to `unknown`. */
export function knownPart(written: unknown, read: unknown, path: string, unknown: string[]): unknown {
  if (Array.isArray(written) && Array.isArray(read))
    return written.map((each, index) => knownPart(each, read[index], `${path}[${index}]`, unknown));
  if (!isObject(written) || !isObject(read)) return written;
  return Object.fromEntries(
    Object.entries(written).flatMap(([key, each]) => {
      const at = path === '' ? key : `${path}.${key}`;
      if (Object.hasOwn(read, key)) return [[key, knownPart(each, read[key], at, unknown)]];
      unknown.push(at);
      return [];
    }),
  );
}
