import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath } from './package-path.js';
import { didYouMean } from './suggest.js';
import { InputError } from './yaml.js';

/** Paths of what a directory of the package has, by name without `ending`, in the order of the names. */
export function bundledIn(directory: string, ending = ''): ReadonlyMap<string, string> {
  const found = readdirSync(packagePath(directory))
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => [name.slice(0, name.length - ending.length), join(packagePath(directory), name)] as const);
  return new Map(found);
}

/** Path of the bundled `kind` with a name. Throws InputError that suggests another name, or the command with a list. */
export function bundledNamed(
  given: string,
  bundled: ReadonlyMap<string, string>,
  { kind, or, command }: { kind: string; or: string; command: string },
): string {
  const found = bundled.get(given);
  if (found !== undefined) return found;
  const hint =
    didYouMean(given, [...bundled.keys()]) || `; "mockri ${command} --list" lists the bundled ${kind}s`;
  throw new InputError([`${given}: no ${or} or ${kind} has this name${hint}`]);
}
