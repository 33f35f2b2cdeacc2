import { z } from 'zod';
import { ignored, once, type Read } from './fields.js';

const strings = z.record(z.string(), z.string());

const requirement = once((fields) =>
  fields({
    key: z.string(),
    operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
    values: z.array(z.string()).default([]),
  }),
);

const selectorTerm = once((fields) =>
  fields({
    matchExpressions: z.array(requirement(fields)).default([]),
    matchFields: z.array(requirement(fields)).default([]),
  }),
);

/** v1.Toleration; an empty field matches every taint. */
const toleration = once((fields) =>
  fields({
    key: z.string().default(''),
    operator: z.string().default('Equal'),
    value: z.string().default(''),
    effect: z.string().default(''),
    ...ignored(['tolerationSeconds']),
  }),
);

/** Fields of v1.PodSpec that select nodes. */
export const placement = once((fields) => ({
  nodeSelector: strings.optional(),
  affinity: fields({
    nodeAffinity: fields({
      requiredDuringSchedulingIgnoredDuringExecution: fields({
        nodeSelectorTerms: z.array(selectorTerm(fields)),
      }).optional(),
      ...ignored(['preferredDuringSchedulingIgnoredDuringExecution']),
    }).optional(),
    ...ignored(['podAffinity', 'podAntiAffinity']),
  }).optional(),
  tolerations: z.array(toleration(fields)).optional(),
}));

export type NodeSelectorTerm = Read<typeof selectorTerm>;
export type SelectorRequirement = Read<typeof requirement>;
export type Toleration = Read<typeof toleration>;
