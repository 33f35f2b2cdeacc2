import { Argument } from 'commander';
import { z } from 'zod';
import { checkInput, InputError } from '../../base/input/yaml.js';
import { methodProblem } from '../../runtime/faults/language/methods.js';
import { problemOf } from '../../runtime/faults/language/pattern.js';
import { keepSchema, redactions } from '../../tape/keep.js';

/** An argument such as `<a>` whose text a schema parses. Throws InputError with its name. */
export const argument = (name: string, description: string, schema: z.ZodType): Argument =>
  new Argument(name, description).argParser((text: string) => readNamed(text, name, schema));

/** Parses a text with a schema. Throws InputError with the name that users know the text by. */
export function readNamed<S extends z.ZodType>(text: string, name: string, schema: S): z.output<S> {
  const [given] = Object.values(checkNamed({ [name]: text }, z.looseObject({ [name]: schema })));
  return given as z.output<S>;
}

/** Validates values by the names that users know. Throws InputError with the name of each mistake. */
export function checkNamed<S extends z.ZodType>(
  given: unknown,
  schema: S,
  nameOf: (key: string) => string = (key) => key,
): z.output<S> {
  try {
    return checkInput(given, schema, 'options');
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.details.map(({ field = '', message }) => `${nameOf(field)}: ${message}`));
  }
}

/** A schema from a function; `parse` throws its error, or returns undefined for the message `expected`. */
export const readBy = <T>(parse: (text: string) => T | undefined, expected = '') =>
  z.string().transform((text, context): T => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message, input: text });
      return z.NEVER;
    };
    try {
      return parse(text) ?? refuse(expected);
    } catch (error) {
      return refuse((error as Error).message);
    }
  });

/** A text for which `problem` returns nothing. */
const textWithout = (problem: (text: string) => string | undefined) =>
  z.string().refine((text) => problem(text) === undefined, { error: ({ input }) => problem(String(input)) });

export const methodSchema = textWithout(methodProblem);

/** A name, glob or /expression/. */
export const patternSchema = textWithout(problemOf);

export const keepList = (what: string, more = '') => ({
  about: `${what}: ${redactions.join(', ')}, or all${more}`,
  schema: keepSchema,
});
