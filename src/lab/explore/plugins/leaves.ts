import { isObject } from '../../../base/input/object.js';
/** Values of a JSON document by path, such as `linux.resources.cpu.cpus` or `process.env[HOME]`. */
export type Leaves = ReadonlyMap<string, string>;

/** Identifies an item of a list by its name or destination, if it has one. */
export function leavesOf(document: unknown): Leaves {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) visit(item, `${path}[${keyOf(item, index)}]`);
    else if (isObject(value))
      for (const [key, each] of Object.entries(value)) visit(each, path === '' ? key : `${path}.${key}`);
    else leaves.set(path, JSON.stringify(value));
  };
  visit(document, '');
  return leaves;
}

function keyOf(item: unknown, index: number): string {
  if (typeof item === 'string') return item.split('=', 1)[0] ?? '';
  const { path, destination, type, major } = (item ?? {}) as Record<string, unknown>;
  // A namespace's path differs from run to run, its type does not.
  return String(destination ?? (major === undefined ? (type ?? path) : path) ?? index);
}

export const changedIn = (document: Leaves, from: Leaves): string[] =>
  [...document.keys()].filter((path) => document.get(path) !== from.get(path));
