import { statSync } from 'node:fs';
import { InputError } from './yaml.js';

/**
 * Throws InputError if an output option names one of the input files, by any path: it would overwrite the input.
 * Ignores devices, such as /dev/stdin and /dev/stdout of one terminal.
 */
export function spareInputs(
  option: string,
  output: string | undefined,
  inputs: readonly (string | undefined)[],
): void {
  const own = identityOf(output);
  if (own !== undefined && inputs.some((input) => identityOf(input) === own))
    throw new InputError([`${option}: ${output} is an input of the command; give another file`]);
}

/** Undefined unless it is a regular file. */
function identityOf(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const stat = statSync(path, { throwIfNoEntry: false, bigint: true });
  return stat?.isFile() ? `${stat.dev}:${stat.ino}` : undefined;
}
