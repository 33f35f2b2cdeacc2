import { closeSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { messageOf } from '../../../base/input/error-text.js';
import { openRegular } from '../../../base/input/regular-file.js';
import { checkInput, InputError } from '../../../base/input/yaml.js';
import type { Entry } from '../../../tape/entries.js';

export interface OracleRun {
  /**
   * The run's tape as described in docs/tape.md: `entry.message.json()` is the message of a call or reply. Times are
   * nanoseconds since the kubelet's start. Omits repeated calls with the same reply.
   */
  readonly entries: readonly Entry[];
  /** Length of the run in ms. */
  readonly until: number;
}

/** A user's own rule: resolves with one text for each problem of a run. */
export type Oracle = (run: OracleRun) => Promise<readonly string[]>;

const answerSchema = z.union([z.string(), z.array(z.string())]);

/**
 * Loads the function that a module exports by default. It returns what is wrong: a text or an array of texts, or
 * nothing; or a promise. Throws InputError for a file that cannot be read or does not export a function; the oracle
 * throws one for a result of another type and when the function throws.
 */
export async function loadOracle(file: string): Promise<Oracle> {
  const where = `--oracle: ${file}`;
  const given = await defaultExport(file, where);
  if (typeof given !== 'function')
    throw new InputError([
      `${where}: expected a module with a function as its default export, not ${kindOf(given)}`,
    ]);
  return async (run) => {
    let answer: unknown;
    try {
      answer = await given(run);
    } catch (error) {
      throw new InputError([`${where}: the function throws: ${messageOf(error)}`]);
    }
    if (answer === undefined || answer === null) return [];
    return [checkInput(answer, answerSchema, where)].flat();
  };
}

async function defaultExport(file: string, where: string): Promise<unknown> {
  try {
    closeSync(openRegular(file));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new InputError([`${where}: it cannot be read: ${code ?? message}`]);
  }
  try {
    const module: { readonly default?: unknown } = await import(pathToFileURL(resolve(file)).href);
    return module.default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_UNKNOWN_FILE_EXTENSION')
      throw new InputError([`${where}: it cannot be loaded: ${messageOf(error)}`]);
    throw new InputError([
      `${where}: Node ${process.versions.node} cannot import this kind of file; use a .mjs or .js file, or for TypeScript Node 22.18 or later, or NODE_OPTIONS="--import tsx"`,
    ]);
  }
}

const kindOf = (given: unknown): string => (given === undefined ? 'nothing' : `a ${typeof given}`);
