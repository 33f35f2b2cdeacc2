import { z } from 'zod';
import { runtimeProfileSchema } from '../../runtime/profiles/index.js';

export const runtimeProfilesSchema = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(runtimeProfileSchema));
