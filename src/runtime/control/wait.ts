import { formatDuration } from '../../base/input/duration.js';
import { durationSchema } from '../../base/input/schemas.js';

/** Maximum time in ms that a request waits. */
const LONGEST_WAIT = 600_000;

/** How long a request without results waits for the first one, in real time. */
export const waitSchema = durationSchema
  .refine((wait) => wait <= LONGEST_WAIT, `expected at most ${formatDuration(LONGEST_WAIT)}`)
  .default(0);
