import { z } from 'zod';
import { durationSchema } from '../input/schemas.js';

const name = z.string().min(1);

const podSource = z
  .strictObject({
    /** Path of a manifest, relative to the scenario. */
    file: z.string().optional(),
    /** The manifest itself. */
    manifest: z.record(z.string(), z.unknown()).optional(),
    /** Behavior of containers, by container name: see docs/scenarios.md. */
    behaviors: z.record(z.string(), z.string()).default({}),
    /** As a static pod: its name gets the node's name, and it is not shown while it terminates. */
    static: z.boolean().default(false),
  })
  .refine((pod) => (pod.file === undefined) !== (pod.manifest === undefined), {
    message: 'expected either "file" or "manifest"',
  });

const action = z
  .strictObject({
    addPod: podSource.optional(),
    removePod: name.optional(),
    exitContainer: z
      .strictObject({
        pod: name,
        container: name,
        code: z.int().min(0).max(255).default(0),
        reason: z.enum(['OOMKilled']).optional(),
      })
      .optional(),
    runtime: z.enum(['down', 'up']).optional(),
    kubelet: z.enum(['kill', 'start', 'restart']).optional(),
  })
  .refine((given) => Object.values(given).filter((value) => value !== undefined).length === 1, {
    message: 'expected exactly one of addPod, removePod, exitContainer, runtime, kubelet',
  });

/** `[from, to]`, both included. */
const window = z
  .tuple([durationSchema, durationSchema])
  .refine(([from, to]) => from <= to, { message: 'expected the earlier time first' });

const latency = z.strictObject({
  runSandbox: durationSchema.optional(),
  stopSandbox: durationSchema.optional(),
  createContainer: durationSchema.optional(),
  startContainer: durationSchema.optional(),
  firstStep: durationSchema.optional(),
  stopContainer: durationSchema.optional(),
  pull: durationSchema.optional(),
});

/** A scenario file, version 1: docs/scenarios.md. Durations are Go style and counted from the kubelet's start. */
export const scenarioSchema = z.strictObject({
  version: z.literal(1),
  description: z.string().default(''),
  seed: z.union([z.int(), z.string()]).default(1),
  node: z
    .string()
    .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'expected a DNS label')
    .default('mock-node'),
  kubelet: z
    .strictObject({
      version: z.string().optional(),
      featureGates: z.record(z.string(), z.boolean()).default({}),
      evented: z.enum(['A-seconds', 'A', 'B', 'C']).optional(),
      /** Fields of a KubeletConfiguration. */
      config: z.record(z.string(), z.unknown()).default({}),
    })
    .default({ featureGates: {}, config: {} }),
  latency: latency.default({}),
  pods: z.array(podSource).default([]),
  timeline: z.array(z.strictObject({ at: durationSchema, do: action })).default([]),
  until: durationSchema,
  expect: z
    .strictObject({
      /** All rows of every pod named here, in order. */
      rows: z
        .array(
          z.strictObject({
            pod: name,
            ready: z.string().optional(),
            status: z.string().optional(),
            restarts: z.int().min(0).optional(),
            within: window.optional(),
          }),
        )
        .default([]),
      events: z
        .array(
          z.strictObject({
            pod: name.optional(),
            type: z.enum(['Normal', 'Warning']).optional(),
            reason: name.optional(),
            message: z.string().optional(),
            /** How often; at least once when left out. */
            count: z.int().min(0).optional(),
            within: window.optional(),
          }),
        )
        .default([]),
      /** Calls of an RPC over the whole run, at most. */
      calls: z.record(z.string(), z.int().min(0)).default({}),
    })
    .default({ rows: [], events: [], calls: {} }),
});

export type Scenario = z.output<typeof scenarioSchema>;
export type ScenarioPod = Scenario['pods'][number];
export type ScenarioAction = Scenario['timeline'][number]['do'];
