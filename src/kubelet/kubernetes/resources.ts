import { z } from 'zod';
import { isQuantity } from '../../base/input/quantity.js';
import { ignored, once, type Read } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';

/** As written: `100m`, `64Mi`. */
export const quantity = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine(isQuantity, 'expected a quantity such as 100m or 64Mi');

export const quantities = z.record(z.string(), quantity).default({});

/** v1.ResourceRequirements; missing requests default to the limits (SetDefaults_Pod). */
export const resourcesSchema = once((fields) =>
  fields({ limits: quantities, requests: quantities, ...ignored(withoutEffect.resources) }).transform(
    ({ limits, requests }) => ({ limits, requests: { ...limits, ...requests } }),
  ),
);

/** v1.ContainerResizePolicy: whether a resize restarts the container. */
export const resizePolicySchema = once((fields) =>
  fields({
    resourceName: z.enum(['cpu', 'memory']),
    restartPolicy: z.enum(['NotRequired', 'RestartContainer']),
  }),
);

export type Resources = Read<typeof resourcesSchema>;
