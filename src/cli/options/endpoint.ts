import { z } from 'zod';
import { formatEndpoint, parseEndpoint } from '../../runtime/server/endpoint.js';

/** The normalized endpoint of a text; without one, the issue is added. */
function endpointOf(text: string, context: z.RefinementCtx): string {
  try {
    return formatEndpoint(parseEndpoint(text));
  } catch (error) {
    // The message quotes the text, which is why it is not the input here.
    context.addIssue({ code: 'custom', message: (error as Error).message, input: {} });
    return z.NEVER;
  }
}

/** An endpoint to connect to, normalized. */
export const endpointSchema = z.string().transform(endpointOf);

/** The value of `listen` that asks for a socket in a new directory. */
export const TEMPORARY = 'temporary';

/** What `listen` may be: an endpoint, or `temporary`. */
export const listenSchema = z.string().superRefine((text, context) => {
  if (text !== TEMPORARY) endpointOf(text, context);
});
