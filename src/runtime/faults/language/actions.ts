import { z } from 'zod';
import { durationSchema, signedDurationSchema } from '../../../base/input/schemas.js';
import { codeNames } from '../../../cri/status-code.js';
import { endingSignals } from './signals.js';

const codeSchema = z.enum(codeNames).exclude(['OK']);
const flag = z.strictObject({});
const forAWhile = z.strictObject({ for: durationSchema.optional() });

/** The actions, of which a rule has exactly one, or a delay alone. */
export const actionSchemas = {
  error: z.strictObject({
    code: codeSchema.default('UNKNOWN'),
    message: z.string().optional(),
    effect: z
      .enum(['before', 'after', 'late'])
      .default('before')
      .describe('Fail before the work, after it, or late: reply now and do the work afterwards.'),
    lateBy: durationSchema
      .default(1000)
      .describe('How long after the error the work of a late effect begins.'),
  }),
  hang: forAWhile,
  hold: forAWhile.describe('Waits until the control API decides what happens.'),
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
    scope: z
      .enum(['call', 'connection'])
      .optional()
      .describe('Default: `connection` for a rule on connections or time, else `call`.'),
  }),
  end: flag,
  close: z.strictObject({ code: codeSchema.default('UNAVAILABLE'), message: z.string().optional() }),
  stall: forAWhile,
  corrupt: flag.describe('The reply of a plugin cannot be decoded.'),
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
  exit: z
    .strictObject({
      code: z.int().min(0).max(255).optional().describe('Default 1.'),
      signal: z.enum(endingSignals).optional().describe('Ended by this signal instead: exit code 128 + N.'),
      reason: z.string().optional(),
    })
    .refine(({ code, signal }) => code === undefined || signal === undefined, {
      error: 'a process ends by itself or by a signal: give code or signal, not both',
    }),
  oom: flag,
  ignoreStop: flag,
  slowStart: z.strictObject({ duration: durationSchema }),
  slowCreate: z.strictObject({ duration: durationSchema }),
  loseStatus: flag,
} as const;

/** An action as rules write it: `error`, `drop`, `restart`. */
export type ActionName = keyof typeof actionSchemas;
type ActionOptions<N extends ActionName> = z.output<(typeof actionSchemas)[N]>;
/** One action with its options, defaults filled in; durations are milliseconds. */
export type Action = {
  [N in ActionName]: { readonly name: N; readonly options: ActionOptions<N> };
}[ActionName];
export type ActionNamed<N extends ActionName> = Extract<Action, { name: N }>;
