/** The values of a JSON document by path, such as `linux.resources.cpu.cpus` or `process.env[HOME]`. */
export type Leaves = ReadonlyMap<string, string>;

/** All values of a document. An item of a list is known by what it is about, where it says so. */
export function leavesOf(document: unknown): Leaves {
  const leaves = new Map<string, string>();
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value))
      for (const [index, item] of value.entries()) visit(item, `${path}[${keyOf(item, index)}]`);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) visit(each, path === '' ? key : `${path}.${key}`);
    else leaves.set(path, JSON.stringify(value));
  };
  visit(document, '');
  return leaves;
}

function keyOf(item: unknown, index: number): string {
  if (typeof item === 'string') return item.split('=', 1)[0] ?? '';
  const { path, destination, type, major } = (item ?? {}) as Record<string, unknown>;
  // The path of a namespace differs from run to run, its type does not.
  return String(destination ?? (major === undefined ? (type ?? path) : path) ?? index);
}

/** The paths at which a document has other values than another one. */
export const changedIn = (document: Leaves, from: Leaves): string[] =>
  [...document.keys()].filter((path) => document.get(path) !== from.get(path));
