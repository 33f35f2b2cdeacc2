import { status as Code } from '@grpc/grpc-js';
import { z } from 'zod';
import { durationSchema, signedDurationSchema } from '../input/schemas.js';
import { isPattern } from './pattern.js';

const pattern = z
  .string()
  .min(1)
  .refine(isPattern, { error: 'expected a glob ("web-*") or a regular expression ("/^web-/")' });

const codes = Object.keys(Code).filter((name) => Number.isNaN(Number(name)) && name !== 'OK');
/** A gRPC status code by its canonical name, OK excepted. */
const codeSchema = z.enum(codes as [keyof typeof Code, ...(keyof typeof Code)[]]);
const count = z.int().min(0);
const atLeastOne = z.int().min(1);
const labels = z.record(z.string(), pattern);
const flag = z.strictObject({});
const forAWhile = z.strictObject({ for: durationSchema.optional() });

const match = z.strictObject({
  /** A name, a glob, a group (`@list`), or several of them. */
  method: z.union([pattern, z.array(pattern).min(1)]).optional(),
  pod: z
    .strictObject({ name: pattern, namespace: pattern, uid: pattern, attempt: count, labels })
    .partial()
    .optional(),
  container: z.strictObject({ name: pattern, attempt: count, labels }).partial().optional(),
  /** Partial deep match of the request, field names as in api.proto; strings are patterns. */
  request: z.record(z.string(), z.unknown()).optional(),
});

const readiness = z.enum(['ready', 'not-ready']);

const when = z.strictObject({
  /** Lets this many pass first. */
  after: count.optional(),
  /** Applies at most this often. */
  times: atLeastOne.optional(),
  /** Applies to every Nth only; a duration, for a rule on time, is its period. */
  every: z.union([atLeastOne, durationSchema.transform((period) => ({ period }))]).optional(),
  probability: z.number().gt(0).max(1).optional(),
  /** Applies only in this span, counted from when the rule came into force. */
  during: z.strictObject({ from: durationSchema.optional(), for: durationSchema.optional() }).optional(),
  /** Applies only while the runtime's conditions are so. */
  while: z.strictObject({ runtime: readiness, network: readiness }).partial().optional(),
  /** Counts apart for each of these. */
  per: z.enum(['pod', 'container', 'connection']).optional(),
});

const delay = z.union([
  durationSchema.transform((duration) => ({ duration, jitter: 0, distribution: 'uniform' as const })),
  z.strictObject({
    duration: durationSchema,
    jitter: durationSchema.default(0),
    distribution: z.enum(['uniform', 'normal', 'lognormal']).default('uniform'),
  }),
]);

/** What a rule may do besides delaying. A rule has exactly one of these, or a delay alone. */
export const actionSchemas = {
  error: z.strictObject({
    code: codeSchema.default('UNKNOWN'),
    message: z.string().optional(),
    /** Fail before the work is done, after it, or late: answer now and do the work afterwards. */
    effect: z.enum(['before', 'after', 'late']).default('before'),
    /** How long after the error the work of a late effect begins. */
    lateBy: durationSchema.default(1000),
  }),
  hang: forAWhile,
  reply: z.union([
    z.strictObject({ patch: z.record(z.string(), z.unknown()) }),
    z.strictObject({ replace: z.record(z.string(), z.unknown()) }),
    z.strictObject({ empty: z.literal(true) }),
    z.strictObject({ stale: z.literal(true) }),
    /** Appends this many bytes that every client skips (an unknown field). */
    z.strictObject({
      pad: z
        .int()
        .min(1)
        .max(64 * 1024 * 1024),
    }),
  ]),
  reset: z.strictObject({
    code: z
      .enum(['INTERNAL_ERROR', 'CANCEL', 'REFUSED_STREAM', 'ENHANCE_YOUR_CALM'])
      .default('INTERNAL_ERROR'),
    /** Default: `connection` for a rule on connections or time, else `call`. */
    scope: z.enum(['call', 'connection']).optional(),
  }),
  end: flag,
  close: z.strictObject({ code: codeSchema.default('UNAVAILABLE'), message: z.string().optional() }),
  stall: forAWhile,
  drop: flag,
  duplicate: z.strictObject({ copies: z.int().min(1).max(1000).default(1) }),
  reorder: z.strictObject({ window: z.int().min(2).max(1000).default(2) }),
  throttle: z.strictObject({
    perSecond: z.number().gt(0).optional(),
    bytesPerSecond: z.number().gt(0).optional(),
  }),
  replay: z.strictObject({ last: z.int().min(1).max(1000).default(1) }),
  refuse: flag,
  goaway: flag,
  latency: z.strictObject({ duration: durationSchema }),
  restart: z.strictObject({
    downFor: durationSchema.default(0),
    state: z.enum(['keep', 'lose']).default('keep'),
  }),
  pause: forAWhile,
  condition: z.strictObject({
    type: z.enum(['RuntimeReady', 'NetworkReady']),
    status: z.boolean().default(false),
    reason: z.string().default('FaultInjected'),
    message: z.string().default('set by a fault rule'),
    for: durationSchema.optional(),
  }),
  clockSkew: z.strictObject({ by: signedDurationSchema, for: durationSchema.optional() }),
  exit: z.strictObject({ code: z.int().min(0).max(255).default(1), reason: z.string().optional() }),
  oom: flag,
  ignoreStop: flag,
  slowStart: z.strictObject({ duration: durationSchema }),
  loseStatus: flag,
} as const;

export type ActionName = keyof typeof actionSchemas;
type ActionOptions<N extends ActionName> = z.output<(typeof actionSchemas)[N]>;
/** One action with its options, defaults filled in; durations are milliseconds. */
export type Action = {
  [N in ActionName]: { readonly name: N; readonly options: ActionOptions<N> };
}[ActionName];
export type ActionNamed<N extends ActionName> = Extract<Action, { name: N }>;
export type Delay = z.output<typeof delay>;

const then = z.strictObject({ delay, ...actionSchemas }).partial();

/** What a rule counts and acts on; default `call`. */
const triggers = ['call', 'reply', 'message', 'connection', 'time'] as const;
export type Trigger = (typeof triggers)[number];

/** One rule, as users write it. What the schema can't say, `compileRule` checks. */
export const faultSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, {
      error: 'expected up to 100 letters, digits, ".", "_" or "-"',
    })
    .optional(),
  match: match.default({}),
  on: z.enum(triggers).optional(),
  when: when.default({}),
  then,
});

/** A file of rules (`--faults FILE`). */
export const faultFileSchema = z.strictObject({
  version: z.literal(1),
  /** Of all rules' random numbers; each rule has a stream of its own. */
  seed: z.int().min(0).max(0xffff_ffff).optional(),
  faults: z.array(faultSchema).max(10_000).default([]),
});

export type FaultInput = z.input<typeof faultSchema>;
export type FaultSpec = z.output<typeof faultSchema>;
export type GrpcCodeName = z.output<typeof codeSchema>;
