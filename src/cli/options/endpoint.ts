import { z } from 'zod';
import { InputError } from '../../input/yaml.js';
import { formatEndpoint, parseEndpoint } from '../../server/endpoint.js';

/** The normalized endpoint to connect to. Throws InputError with the name of the option if it is invalid. */
export function readEndpoint(text: string, option: string): string {
  try {
    return formatEndpoint(parseEndpoint(text));
  } catch (error) {
    throw new InputError([`${option}: ${(error as Error).message}`]);
  }
}

/** The value of `listen` that asks for a socket in a new directory. */
export const TEMPORARY = 'temporary';

/** What `listen` may be: an endpoint, or `temporary`. */
export const listenSchema = z.string().superRefine((text, context) => {
  try {
    if (text !== TEMPORARY) parseEndpoint(text);
  } catch (error) {
    // The message quotes the text, which is why it is not the input here.
    context.addIssue({ code: 'custom', message: (error as Error).message, input: {} });
  }
});
