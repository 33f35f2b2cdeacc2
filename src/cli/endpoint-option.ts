import { InputError } from '../input/yaml.js';
import { formatEndpoint, parseEndpoint } from '../server/endpoint.js';

/** An endpoint to connect to, in full. Throws InputError, naming the option, for what is none. */
export function readEndpoint(text: string, option: string): string {
  try {
    return formatEndpoint(parseEndpoint(text));
  } catch (error) {
    throw new InputError([`${option}: ${(error as Error).message}`]);
  }
}
