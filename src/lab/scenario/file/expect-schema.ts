import { z } from 'zod';
import { durationSchema } from '../../../base/input/schemas.js';
import { methodProblem } from '../../../runtime/faults/language/methods.js';
import { runRuleNames } from '../../../tape/judge/kubelet/table.js';

const name = z.string().min(1);

/** `[from, to]`, inclusive. */
const window = z
  .tuple([durationSchema, durationSchema])
  .refine(([from, to]) => from <= to, { message: 'expected the earlier time first' });

/** A number, or bounds. */
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
  message: z.string().optional().describe('A part of the text.'),
  count: amount.optional(),
  within: window.optional(),
});

const node = z.strictObject({
  ready: z.enum(['True', 'False', 'Unknown']).optional(),
  message: z.string().optional().describe('A part of the text.'),
  taint: z.enum(['not-ready', 'unreachable', 'none']).optional(),
  evicting: z.boolean().optional(),
  within: window.optional(),
});

const logLine = z.strictObject({
  text: name.describe('A part of the line.'),
  count: amount.optional(),
  within: window.optional(),
});

const rpc = z.string().superRefine((given, context) => {
  const problem = methodProblem(given);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem, input: given });
});

const calls = z.strictObject({ rpc, count: amount, within: window.optional() });

const metric = z.strictObject({
  name: name.describe('As the kubelet exposes it, labels included.'),
  is: amount,
  of: z
    .literal('runtime')
    .optional()
    .describe(
      'The number of series of this name in the reply of ListPodSandboxMetrics, instead of a value of the kubelet.',
    ),
  at: durationSchema.optional().describe('When to look; at the end by default.'),
});

const running = z.strictObject({
  pod: name,
  container: name,
  most: amount.describe('Most instances that run at the same time.'),
});

const gone = z.strictObject({ pod: name, within: window.optional() });

const rule = z.union([
  z.enum(runRuleNames).transform((name) => ({ name, from: 0 })),
  z.strictObject({
    name: z.enum(runRuleNames),
    from: durationSchema
      .default(0)
      .describe('Rules about how soon the kubelet acts ignore everything before this time.'),
  }),
]);

/** Default of `count`: at least once. */
export const expectSchema = z
  .strictObject({
    rows: z.array(row).default([]).describe('All rows of every pod named here, in order.'),
    rowsInclude: z
      .array(row)
      .default([])
      .describe('Some rows of every pod named here, in order, with any others between them.'),
    lastRow: z
      .union([z.array(row), row.transform((only) => [only])])
      .default([])
      .describe('The last row of each of these pods; one pod needs no list.'),
    events: z.array(event).default([]),
    nodes: z.array(node).default([]).describe('All node states in the control plane, in order.'),
    log: z.array(logLine).default([]),
    calls: z.array(calls).default([]),
    metrics: z.array(metric).default([]),
    running: z.array(running).default([]),
    gone: z
      .array(gone)
      .default([])
      .describe('Deleted pods whose end the kubelet has reported, so that the API forgets them.'),
    rules: z.array(rule).default([]).describe('Rules that hold for all pods and faults: docs/explore.md.'),
  })
  .prefault({});

/** With defaults applied. */
export type Expected = z.output<typeof expectSchema>;
export type Amount = z.output<typeof amount>;
/** `[from, to]` in ms since the kubelet's start; undefined for any time. */
export type Window = z.output<typeof window> | undefined;
