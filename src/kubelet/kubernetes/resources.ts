import { z } from 'zod';
import { isQuantity } from '../../base/input/quantity.js';
import { ignored, once, type Read } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';

/** A quantity as written (`100m`, `64Mi`). */
export const quantity = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine(isQuantity, 'expected a quantity such as 100m or 64Mi');

/** v1.ResourceList. */
export const quantities = z.record(z.string(), quantity).default({});

/** v1.ResourceRequirements; requests are as limits if they are not set (SetDefaults_Pod). */
export const resourcesSchema = once((fields) =>
  fields({ limits: quantities, requests: quantities, ...ignored(withoutEffect.resources) }).transform(
    ({ limits, requests }) => ({ limits, requests: { ...limits, ...requests } }),
  ),
);

/** v1.ContainerResizePolicy: what a change of a container's resources needs. */
export const resizePolicySchema = once((fields) =>
  fields({
    resourceName: z.enum(['cpu', 'memory']),
    restartPolicy: z.enum(['NotRequired', 'RestartContainer']),
  }),
);

/** Quantities as written. */
export type Resources = Read<typeof resourcesSchema>;
