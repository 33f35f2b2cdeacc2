import { z } from 'zod';
import { runtimeProfileSchema } from '../../runtime/profiles/index.js';

/** Separated by commas. */
export const runtimeProfilesSchema = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(runtimeProfileSchema));
