import { InputError } from '../input/yaml.js';
import { formatEndpoint, parseEndpoint } from '../server/endpoint.js';

/** The normalized endpoint to connect to. Throws InputError with the name of the option if it is invalid. */
export function readEndpoint(text: string, option: string): string {
  try {
    return formatEndpoint(parseEndpoint(text));
  } catch (error) {
    throw new InputError([`${option}: ${(error as Error).message}`]);
  }
}
