import { z } from 'zod';
import { codeNames } from '../../../src/cri/status-code.js';
import { triggers } from '../../../src/runtime/faults/language/trigger.js';
import { refereeModes } from '../../../src/tape/judge/referee.js';

/** Schemas of the control API's replies, for schemas/openapi.json. The tests check replies with them. */

export const nanoseconds = z
  .string()
  .regex(/^\d+$/)
  .describe('nanoseconds since 1970; a string, because JSON numbers cannot hold it');
const count = z.int().min(0);

const newFields = z
  .record(z.string(), z.unknown())
  .optional()
  .describe(
    'with --proto: values of fields that the shipped api.proto lacks, by path; absent if none is set',
  );

const podNames = z.strictObject({ id: z.string(), name: z.string(), namespace: z.string() });
const containerNames = z.strictObject({ id: z.string(), name: z.string(), attempt: count });
const subject = z.strictObject({ pod: podNames.optional(), container: containerNames.optional() });

export const callShape = z.strictObject({
  sequence: z.int().min(1).describe('from 1, in order of completion'),
  node: z.string().optional().describe('with mockri node: its name'),
  method: z.string().describe('name of the RPC, such as StartContainer'),
  peer: z.string().describe('the client'),
  connection: count.describe('number of the connection, from 1; 0 if unknown'),
  subject: subject.optional().describe('the pod and container that the call is about'),
  image: z.string().optional().describe('the image that PullImage names'),
  code: z.enum(codeNames).describe('gRPC status code'),
  details: z.string().optional().describe('message of the gRPC status; absent if empty'),
  startedAt: nanoseconds,
  duration: z.number().describe('milliseconds'),
  messages: count.describe('messages sent: 1 for an answered unary call'),
  faults: z.array(z.string()).describe('names of the fault rules that affected the call'),
  newFields,
});

export const ruleShape = z.strictObject({
  name: z.string(),
  source: z.string().describe('control, a file or a pod'),
  spec: z.looseObject({}).describe('the rule as written; see schemas/faults.schema.json'),
  text: z.string().describe('the rule in shorthand, with what the shorthand cannot express'),
  seen: count.describe('things of its kind that came by: calls, messages, connections'),
  matched: count.describe('those that its match fits'),
  applied: count.describe('those on which it acted'),
  shadowed: count.describe('those on which it would have acted without an earlier rule'),
  left: count.optional().describe('how often it may still act; absent if without limit'),
});

const container = z.strictObject({
  id: z.string(),
  name: z.string(),
  attempt: count,
  state: z.enum(['CREATED', 'RUNNING', 'EXITED']),
  image: z.string(),
  createdAt: nanoseconds,
  startedAt: nanoseconds,
  finishedAt: nanoseconds,
  exitCode: z.int(),
  reason: z.string(),
  newFields,
});

const sandbox = z.strictObject({
  id: z.string(),
  name: z.string(),
  namespace: z.string(),
  uid: z.string(),
  attempt: count,
  state: z.enum(['READY', 'NOTREADY']),
  runtimeHandler: z.string(),
  createdAt: nanoseconds,
  ips: z.array(z.string()),
  labels: z.record(z.string(), z.string()),
  newFields,
  containers: z.array(container),
});

export const stateShape = z.strictObject({
  conditions: z.array(
    z.strictObject({
      type: z.enum(['RuntimeReady', 'NetworkReady']),
      status: z.boolean(),
      reason: z.string(),
      message: z.string(),
    }),
  ),
  counts: z.strictObject({
    sandboxes: z.strictObject({ READY: count, NOTREADY: count }),
    containers: z.strictObject({
      CREATED: count,
      RUNNING: count,
      EXITED: count,
      UNKNOWN: count.optional(),
    }),
  }),
  events: z.strictObject({
    published: count,
    dropped: count,
    disconnected: count,
    queues: z.array(count).describe('queue length of each subscriber'),
  }),
  sandboxes: z.array(sandbox),
});

export const addedPodShape = z.strictObject({ pod: sandbox });

export const pluginsShape = z.strictObject({
  plugins: z.array(z.strictObject({ index: z.string(), name: z.string(), events: z.array(z.string()) })),
  adjusted: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      sandboxId: z.string(),
      owners: z.looseObject({}).describe('which plugin has set what'),
      spec: z.looseObject({}).describe('the OCI spec with all changes'),
    }),
  ),
});

export const exitedShape = z.strictObject({ container: z.looseObject({ id: z.string(), name: z.string() }) });

export const callsShape = z.strictObject({
  calls: z.array(callShape),
  next: count.describe('the value of `since` for the next request'),
});

export const rulesShape = z.strictObject({ faults: z.array(ruleShape) });

export const addedShape = z.strictObject({
  faults: z.array(ruleShape),
  notes: z.array(z.string()).optional().describe('rules that no existing pod or container matches'),
});

export const refereeShape = z.strictObject({
  mode: z.enum(refereeModes),
  rules: z.array(z.looseObject({ id: z.string(), count })),
  findings: z.array(
    z.strictObject({
      sequence: z.int().min(1),
      rule: z.string(),
      message: z.string(),
      method: z.string(),
      id: z.string().describe('the sandbox or container'),
      peer: z.string(),
      at: nanoseconds,
    }),
  ),
});

export const tapeShape = z.strictObject({
  recording: z.boolean(),
  file: z.string().optional(),
  entries: count.optional(),
});

export const clockShape = z.strictObject({
  kind: z.enum(['real', 'virtual']),
  now: nanoseconds,
  elapsed: z.number().describe('milliseconds since the clock was made'),
});

export const faultEventShape = z.strictObject({
  at: z.unknown().describe('when the rule acted'),
  rule: z.string(),
  action: z.string(),
  on: z.enum(triggers),
  method: z.string().optional(),
  subject,
});

const heldShape = z.strictObject({
  id: z.int().min(1).describe('from 1, in order of arrival'),
  rule: z.string(),
  on: z.enum(triggers),
  method: z.string(),
  subject,
});

export const holdsShape = z.strictObject({ holds: z.array(heldShape) });

export const decidedShape = z.strictObject({ held: heldShape });

/** RFC 9457. */
export const problemShape = z.strictObject({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string().describe('a sentence for people'),
  errors: z
    .array(
      z.strictObject({
        source: z.string(),
        line: z.int().optional(),
        column: z.int().optional(),
        field: z.string().optional(),
        message: z.string(),
      }),
    )
    .optional()
    .describe('each mistake in a body or query'),
});
