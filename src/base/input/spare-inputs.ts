import { statSync } from 'node:fs';
import { InputError } from './yaml.js';

/**
 * Throws InputError where the file of an option is one of those that are read, by whatever path: what is read would be gone.
 * Devices, such as /dev/stdin and /dev/stdout of one terminal, are no such files.
 */
export function spareInputs(
  option: string,
  output: string | undefined,
  inputs: readonly (string | undefined)[],
): void {
  const own = identityOf(output);
  if (own !== undefined && inputs.some((input) => identityOf(input) === own))
    throw new InputError([`${option}: ${output} is what is read; give another file`]);
}

/** Undefined for what is no file. */
function identityOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat?.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
}
