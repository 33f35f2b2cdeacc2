import { accessSync, constants, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { InputError } from '../../base/input/yaml.js';

const SHELL_PIPE = /^\/(dev|proc\/self)\/(fd\/\d+|stdout|stderr)$/;

/** Undefined if a file can be written at the path. */
function problemOf(file: string): string | undefined {
  if (file === '') return 'expected the name of a file';
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (there?.isDirectory()) return 'it is a directory; give a file';
    // Opening it would wait for a reader, which a pipe of the shell has.
    if (there?.isFIFO() && !SHELL_PIPE.test(file)) return 'it is a pipe; give a file';
    accessSync(there ? file : dirname(resolve(file)), constants.W_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? 'there is no such directory' : `it can't be written: ${code}`;
  }
}

export const outputFileSchema = z
  .string()
  .refine((file) => problemOf(file) === undefined, { error: ({ input }) => problemOf(String(input)) });

/** Writes an option's file. Throws InputError if this has become impossible since the option was parsed. */
export async function writeOutput(file: string, text: string, option: string): Promise<void> {
  await writeFile(file, text).catch((error: NodeJS.ErrnoException) => {
    throw new InputError([`${option}: ${file} cannot be written: ${error.code}`]);
  });
}
