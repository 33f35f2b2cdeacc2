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

/** v1.NodeSelectorTerm: all requirements must be met. */
const selectorTerm = once((fields) =>
  fields({
    matchExpressions: z.array(requirement(fields)).default([]),
    matchFields: z.array(requirement(fields)).default([]),
  }),
);

/** v1.Toleration; what is empty fits every taint. */
const toleration = once((fields) =>
  fields({
    key: z.string().default(''),
    operator: z.string().default('Equal'),
    value: z.string().default(''),
    effect: z.string().default(''),
    ...ignored(['tolerationSeconds']),
  }),
);

/** Fields of v1.PodSpec that decide which nodes may take a pod. */
export const placement = once((fields) => ({
  /** Labels that the node must have. */
  nodeSelector: strings.optional(),
  affinity: fields({
    nodeAffinity: fields({
      /** The node must fit one of the terms. */
      requiredDuringSchedulingIgnoredDuringExecution: fields({
        nodeSelectorTerms: z.array(selectorTerm(fields)),
      }).optional(),
      ...ignored(['preferredDuringSchedulingIgnoredDuringExecution']),
    }).optional(),
    ...ignored(['podAffinity', 'podAntiAffinity']),
  }).optional(),
  tolerations: z.array(toleration(fields)).optional(),
}));

/** v1.NodeSelectorTerm. */
export type NodeSelectorTerm = Read<typeof selectorTerm>;
/** v1.NodeSelectorRequirement. */
export type SelectorRequirement = Read<typeof requirement>;
/** v1.Toleration. */
export type Toleration = Read<typeof toleration>;
