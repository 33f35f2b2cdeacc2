import type { z } from 'zod';
import { checkInput, InputError } from '../input/yaml.js';

/** Validates commander's options against a schema. Throws InputError with the flag of each mistake. */
export function checkFlags<S extends z.ZodType>(
  given: unknown,
  schema: S,
  nameOf: (key: string) => string = flagOf,
): z.output<S> {
  try {
    return checkInput(given, schema, 'options');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.details.map(({ field = '', message }) => `${nameOf(field)}: ${message}`));
  }
}

/** `--kubelet-version` for `kubeletVersion` */
const flagOf = (key: string): string => `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
