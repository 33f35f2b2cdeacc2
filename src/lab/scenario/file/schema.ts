import { z } from 'zod';
import { presentImagesSchema } from '../../../../adapters/memory/images/pull-rule-schema.js';
import { durationSchema } from '../../../base/input/schemas.js';
import { kubeletVersions } from '../../../kubelet/config/versions.js';
import { dataObjectSchema } from '../../../kubelet/kubernetes/data-objects.js';
import { type Fields, once } from '../../../kubelet/kubernetes/fields.js';
import { manifestSchema } from '../../../kubelet/kubernetes/pod.js';
import { serviceSchema } from '../../../kubelet/kubernetes/services.js';
import { listedRuleSchema, ruleListSchema } from '../../../runtime/faults/language/rule-list.js';
import { runtimeProfileSchema } from '../../../runtime/profiles/index.js';
import { operationsSchema } from '../../../runtime/profiles/latency/latency-schema.js';
import { expectSchema } from './expect-schema.js';

const name = z.string().min(1);

const podSource = once((fields) =>
  z
    .strictObject({
      file: z.string().optional().describe('Path of a manifest, relative to the scenario.'),
      manifest: manifestSchema(fields).optional().describe('The manifest itself.'),
      behaviors: z
        .record(z.string(), z.string())
        .default({})
        .describe('What containers do, by container name, such as `exit=1,after=2s`: docs/containers.md.'),
      static: z
        .boolean()
        .default(false)
        .describe(
          "A static pod: its name ends with the node's name, and it is not shown while it terminates.",
        ),
    })
    .refine((pod) => (pod.file === undefined) !== (pod.manifest === undefined), {
      message: 'expected either "file" or "manifest"',
    }),
);

/** A step has exactly one action. */
const actions = (fields: Fields) => ({
  addPod: podSource(fields),
  removePod: name,
  exitContainer: z.strictObject({
    pod: name,
    container: name,
    code: z.int().min(0).max(255).default(0),
    reason: z.enum(['OOMKilled']).optional(),
  }),
  addFault: listedRuleSchema.describe('A rule as in docs/faults.md, active from then on.'),
  removeFault: name.describe('Name of the rule to remove.'),
  runtime: z.union([
    z.enum(['down', 'up']),
    z
      .strictObject({ profile: runtimeProfileSchema, downFor: durationSchema.default(0) })
      .describe('Restarts the runtime as another one, which takes over pods and containers as they are.'),
  ]),
  restartRuntime: z.strictObject({
    downFor: durationSchema.default(0),
    state: z.enum(['keep', 'lose']).default('keep'),
  }),
  kubelet: z.union([
    z.enum(['kill', 'start', 'restart']),
    z
      .strictObject({ version: z.enum(kubeletVersions) })
      .describe(
        'Replaces the kubelet by another version, which finds its files, the pods and the runtime as they are.',
      ),
  ]),
});

const action = (fields: Fields) => {
  const all = actions(fields);
  return z
    .strictObject(all)
    .partial()
    .refine((given) => Object.values(given).filter((value) => value !== undefined).length === 1, {
      message: `expected exactly one of ${Object.keys(all).join(', ')}`,
    });
};

/** `profile`: the runtime's latencies; operations override single ones. */
const latency = z.union([z.enum(['profile', 'none']), operationsSchema]);

const kubelet = z.strictObject({
  version: z.enum(kubeletVersions).optional(),
  featureGates: z.record(z.string(), z.boolean()).default({}),
  evented: z.enum(['A-seconds', 'A', 'B', 'C']).optional(),
  config: z.record(z.string(), z.unknown()).default({}).describe('Fields of a KubeletConfiguration.'),
});

/** A separate run with another kubelet; missing fields are the scenario's. */
const variant = z.strictObject({
  name: name.optional().describe("Default: the kubelet's version."),
  kubelet: kubelet.prefault({}),
  expect: expectSchema.describe('In addition to the expectations of the scenario.'),
});

/**
 * Scenario file version 1 (docs/scenarios.md). Durations are Go style and count from the kubelet's start. `fields` says
 * what happens to unknown fields of manifests; all others are errors.
 */
export const scenarioSchema = once((fields) =>
  z.strictObject({
    version: z.literal(1),
    title: z.string().default(''),
    see: z.string().default('').describe('What a user observes.'),
    why: z.string().default('').describe('Why it happens.'),
    fix: z.string().default('').describe('What to do about it.'),
    seed: z.union([z.int(), z.string()]).default(1).describe('Of all random numbers.'),
    node: z
      .string()
      .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'expected a DNS label')
      .default('mock-node'),
    kubelet: kubelet.prefault({}),
    runtime: runtimeProfileSchema.default('strict').describe('Runtime to imitate: docs/profiles.md.'),
    latency: latency.default('profile').describe('Latencies of the runtime: docs/profiles.md.'),
    faults: ruleListSchema.default([]).describe('Rules that are active from the start.'),
    presentImages: presentImagesSchema
      .default([])
      .describe('Images that the node has from the start, because they were pulled before.'),
    rootImages: presentImagesSchema
      .default([])
      .describe('Images whose user is root. Other images that Mockri does not know have another user.'),
    objects: z
      .array(z.discriminatedUnion('kind', [...dataObjectSchema.options, serviceSchema]))
      .default([])
      .describe(
        'ConfigMaps and Secrets with data for pods; others have placeholders. Services that select pods.',
      ),
    pods: z.array(podSource(fields)).default([]).describe('Pods that exist from the start.'),
    timeline: z
      .array(z.strictObject({ at: durationSchema, do: action(fields) }))
      .default([])
      .describe("What happens later; times count from the kubelet's start."),
    until: durationSchema.describe("When the run ends, counted from the kubelet's start, such as 10m."),
    expect: expectSchema,
    variants: z.array(variant).default([]),
  }),
);

/** With defaults applied. Durations are in ms. */
export type Scenario = z.output<ReturnType<typeof scenarioSchema>>;
/** Inline, or a manifest file. */
export type ScenarioPod = Scenario['pods'][number];
/** Exactly one field is set. */
export type ScenarioAction = Scenario['timeline'][number]['do'];
