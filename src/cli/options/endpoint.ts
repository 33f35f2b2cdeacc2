import { z } from 'zod';
import { formatEndpoint, parseEndpoint } from '../../runtime/server/endpoint.js';

function endpointOf(text: string, context: z.RefinementCtx): string {
  try {
    return formatEndpoint(parseEndpoint(text));
  } catch (error) {
    // The message quotes the text already, so it is not repeated as input.
    context.addIssue({ code: 'custom', message: (error as Error).message, input: {} });
    return z.NEVER;
  }
}

export const endpointSchema = z.string().transform(endpointOf);

/** Value of `listen` for a socket in a new directory. */
export const TEMPORARY = 'temporary';

/** An endpoint, or `temporary`. */
export const listenSchema = z.string().superRefine((text, context) => {
  if (text !== TEMPORARY) endpointOf(text, context);
});
