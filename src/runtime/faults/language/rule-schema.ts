import { z } from 'zod';
import { durationSchema } from '../../../base/input/schemas.js';
import { actionSchemas } from './actions.js';
import { problemOf } from './pattern.js';
import { triggers } from './trigger.js';

export const pattern = z
  .string()
  .min(1)
  .refine((source) => problemOf(source) === undefined, {
    error: ({ input }) =>
      `expected a glob ("web-*") or a regular expression of RE2 ("/^web-/"): ${problemOf(String(input))}`,
  });

const count = z.int().min(0);

const atLeastOne = z.int().min(1);

export const labels = z.record(z.string(), pattern);

const match = z.strictObject({
  node: pattern
    .optional()
    .describe('Names of nodes, for the nodes of `mockri node`; without it, a rule is for all of them.'),
  method: z
    .union([pattern, z.array(pattern).min(1)])
    .optional()
    .describe(
      'A name, a glob, a group (`@list`), or several of them; `nri:NAME` is a request to node resource plugins.',
    ),
  plugin: pattern
    .optional()
    .describe('Index and name of the plugin, such as `10-logger`, for `nri:` methods.'),
  pod: z
    .strictObject({ name: pattern, namespace: pattern, uid: pattern, attempt: count, labels })
    .partial()
    .optional(),
  container: z.strictObject({ name: pattern, attempt: count, labels }).partial().optional(),
  port: z.int().min(1).max(65_535).optional().describe('The port of a port-forward, on sessions.'),
  stream: z
    .enum(['stdin', 'stdout', 'stderr', 'error'])
    .optional()
    .describe('The stream of a session that the action is for.'),
  server: z
    .enum(['cri', 'streaming'])
    .optional()
    .describe(
      'The server of a connection: the socket of the CRI, or the port of exec, attach and port-forward.',
    ),
  request: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Partial deep match of the request, field names as in api.proto; strings are patterns.'),
});

const readiness = z.enum(['ready', 'not-ready']);

const when = z.strictObject({
  after: count.optional().describe('Lets this many pass first.'),
  times: atLeastOne.optional().describe('Applies at most this often.'),
  afterBytes: count.optional().describe('Lets this many bytes of a session pass first.'),
  every: z
    .union([atLeastOne, durationSchema.transform((period) => ({ period }))])
    .optional()
    .describe('Applies to the Nth, 2Nth, 3Nth, … match only; a duration, for a rule on time, is its period.'),
  probability: z.number().gt(0).max(1).optional(),
  during: z
    .strictObject({ from: durationSchema.optional(), for: durationSchema.optional() })
    .optional()
    .describe('Applies only in this span, counted from when the rule came into force.'),
  while: z
    .strictObject({ runtime: readiness, network: readiness })
    .partial()
    .optional()
    .describe('Applies only while the runtime has these conditions.'),
  per: z.enum(['pod', 'container', 'connection']).optional().describe('Counts separately for each of these.'),
});

const delay = z.union([
  durationSchema.transform((duration) => ({ duration, jitter: 0, distribution: 'uniform' as const })),
  z.strictObject({
    duration: durationSchema,
    jitter: durationSchema.default(0),
    distribution: z.enum(['uniform', 'normal', 'lognormal']).default('uniform'),
  }),
]);

/** A delay with its defaults filled in; durations in ms. */
export type Delay = z.output<typeof delay>;

const then = z.strictObject({ delay, ...actionSchemas }).partial();

export const faultNameSchema = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, {
  error: 'expected up to 100 letters, digits, ".", "_" or "-"',
});

/** The shape of one rule; `faultSchema` also refuses rules that could never act. */
export const rule = z.strictObject({
  name: faultNameSchema.optional(),
  match: match.default({}),
  on: z.enum(triggers).optional(),
  when: when.default({}),
  then,
});

/** A rule as users write it: durations are text, and missing fields have their defaults (docs/faults.md). */
export type FaultInput = z.input<typeof rule>;
