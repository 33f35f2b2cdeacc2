import { z } from 'zod';
import { methodProblem } from '../faults/language/methods.js';
import { durationSchema } from '../input/schemas.js';
import { runRuleNames } from './rules/table.js';

const name = z.string().min(1);

/** `[from, to]`, both included. */
const window = z
  .tuple([durationSchema, durationSchema])
  .refine(([from, to]) => from <= to, { message: 'expected the earlier time first' });

/** How often, or how much: exactly, or within bounds. */
const amount = z.union([
  z.number(),
  z.strictObject({ atLeast: z.number().optional(), atMost: z.number().optional() }),
]);

const row = z.strictObject({
  pod: name,
  ready: z.string().optional(),
  status: z.string().optional(),
  restarts: z.int().min(0).optional(),
  within: window.optional(),
});

const event = z.strictObject({
  pod: name.optional(),
  type: z.enum(['Normal', 'Warning']).optional(),
  reason: name.optional(),
  /** A part of the text. */
  message: z.string().optional(),
  count: amount.optional(),
  within: window.optional(),
});

const node = z.strictObject({
  ready: z.enum(['True', 'False', 'Unknown']).optional(),
  /** A part of the text. */
  message: z.string().optional(),
  taint: z.enum(['not-ready', 'unreachable', 'none']).optional(),
  evicting: z.boolean().optional(),
  within: window.optional(),
});

const logLine = z.strictObject({
  /** A part of the line. */
  text: name,
  count: amount.optional(),
  within: window.optional(),
});

const rpc = z.string().superRefine((given, context) => {
  const problem = methodProblem(given);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem, input: given });
});

const calls = z.strictObject({ rpc, count: amount, within: window.optional() });

const metric = z.strictObject({
  /** As the kubelet exposes it, labels included. */
  name,
  is: amount,
  /** When to look; at the end by default. */
  at: durationSchema.optional(),
});

const running = z.strictObject({
  pod: name,
  container: name,
  /** How many instances of it run at the same time, at most. */
  most: amount,
});

const gone = z.strictObject({ pod: name, within: window.optional() });

const rule = z.union([
  z.enum(runRuleNames).transform((name) => ({ name, from: 0 })),
  z.strictObject({
    name: z.enum(runRuleNames),
    /** What is before this time does not count for rules about how soon the kubelet acts. */
    from: durationSchema.default(0),
  }),
]);

/** What a run must show; `count` is "at least once" where it is left out. */
export const expectSchema = z
  .strictObject({
    /** All rows of every pod named here, in order. */
    rows: z.array(row).default([]),
    /** Some rows of every pod named here, in order, with any others between them. */
    rowsInclude: z.array(row).default([]),
    /** The last row of each of these pods; one pod needs no list. */
    lastRow: z.union([z.array(row), row.transform((only) => [only])]).default([]),
    events: z.array(event).default([]),
    /** Everything that the control plane shows of the node, in order. */
    nodes: z.array(node).default([]),
    log: z.array(logLine).default([]),
    calls: z.array(calls).default([]),
    metrics: z.array(metric).default([]),
    running: z.array(running).default([]),
    /** Deleted pods whose end the kubelet has reported, so that the API forgets them. */
    gone: z.array(gone).default([]),
    /** Rules that hold whatever the pods and the faults are: docs/explore.md. */
    rules: z.array(rule).default([]),
  })
  .prefault({});

/** What a scenario expects, checked and defaulted. */
export type Expected = z.output<typeof expectSchema>;
/** How often something is to happen. */
export type Amount = z.output<typeof amount>;
/** When something is to happen: `[from, to]` in ms since the kubelet's start; undefined for any time. */
export type Window = z.output<typeof window> | undefined;
