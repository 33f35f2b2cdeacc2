import { z } from 'zod';
import { durationSchema } from '../../../base/input/schemas.js';
import { around, type Distribution, type Latency, type TimedOperation } from './latency.js';

const MOST_QUANTILES = 101;

const quantiles = z
  .array(durationSchema)
  .min(1)
  .max(MOST_QUANTILES)
  .refine((times) => times.every((time, index) => time >= (times[index - 1] ?? 0)), {
    error: 'expected quantiles from the least to the greatest',
  });

/** One duration, which varies by a fifth either way, or quantiles at equal distances. */
const distribution = z
  .union([durationSchema.transform(around), quantiles], {
    error: 'expected a duration such as "250ms", or a list of quantiles such as ["100ms", "120ms", "300ms"]',
  })
  .transform((times): Distribution => times);

/** Times of some operations, as files, scenarios and tests give them; yields ms. */
export const operationsSchema = z
  .strictObject({
    pull: distribution,
    runSandbox: distribution,
    createContainer: distribution,
    startContainer: distribution,
    startReply: distribution,
    firstStep: distribution,
    exitReport: distribution,
    exec: distribution,
    stopContainer: distribution,
    removeContainer: distribution,
    stopSandbox: distribution,
    removeSandbox: distribution,
  } satisfies Record<TimedOperation, typeof distribution>)
  .partial()
  .transform((given): Latency => given);
export type OperationsInput = z.input<typeof operationsSchema>;
