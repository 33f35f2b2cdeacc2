import { z } from 'zod';
import { behaviorSchema } from '../../../adapters/memory/containers/behavior-schema.js';
import { pullRuleSchema } from '../../../adapters/memory/images/pull-rule-schema.js';
import { faultNameSchema, labels, pattern } from '../../runtime/faults/language/rule-schema.js';

const match = z.strictObject({
  node: pattern.optional(),
  pod: z
    .strictObject({
      name: pattern,
      namespace: pattern,
      uid: pattern,
      labels,
      owner: pattern.describe('Kind/name of an owner, such as StatefulSet/db or Deployment/web'),
    })
    .partial()
    .optional(),
  container: z
    .strictObject({
      name: pattern,
      image: pattern.describe('as in the pod, or with registry and tag'),
    })
    .partial()
    .optional(),
});

const outcome = z.enum(['succeed', 'fail']);

/** The checks that a rule decides instead of the container. */
const probes = z.strictObject({ readiness: outcome, liveness: outcome, startup: outcome }).partial();
const hooks = z.strictObject({ postStart: outcome, preStop: outcome }).partial();

/** A rule of `POST /v1/behaviors`. */
export const behaviorRuleSchema = z
  .strictObject({
    name: faultNameSchema.optional(),
    match: match.default({}).describe('strings are globs or regular expressions, as in fault rules'),
    behavior: behaviorSchema.optional().describe('what containers do: docs/containers.md#behaviors'),
    times: z.int().min(1).optional().describe('runs of each container that have this behavior'),
    probes: probes.optional(),
    hooks: hooks.optional(),
    pull: pullRuleSchema
      .pick({ latency: true, fail: true })
      .optional()
      .describe('as in docs/containers.md#images'),
  })
  .superRefine(({ match: { container }, behavior, times, probes, hooks, pull }, { addIssue }) => {
    const refuse = (message: string) => addIssue({ code: 'custom', message });
    if ((behavior ?? probes ?? hooks ?? pull) === undefined)
      refuse('a rule needs at least one of behavior, probes, hooks and pull');
    if (times !== undefined && behavior === undefined) refuse('times needs behavior, whose runs it counts');
    if (pull !== undefined && container?.name !== undefined)
      refuse('a pull is for an image and a pod: match container.image, not container.name');
  });

export type BehaviorRuleSpec = z.output<typeof behaviorRuleSchema>;
export type BehaviorRuleInput = z.input<typeof behaviorRuleSchema>;
