import { z } from 'zod';
import { codeNames } from '../cri/status-code.js';
import { redactions } from './keep.js';
import type { Message } from './message.js';

const text = z.string();
const count = z.int().min(0);
const nanos = z.int().min(0).describe('nanoseconds since the start of the tape');
const message = z
  .record(text, z.unknown())
  .describe(
    "a CRI message in protobuf's JSON form: 64-bit numbers as text, bytes as base64, no default values",
  );
const raw = z
  .string()
  .optional()
  .describe('base64 of the message, when the JSON form loses something, such as unknown fields');
const sameAs = z
  .int()
  .min(1)
  .optional()
  .describe('the line whose message this is too: a message that repeats itself is written once');

const pod = z
  .strictObject({
    id: text.optional(),
    name: text,
    namespace: text,
    uid: text.optional(),
    attempt: count.optional(),
  })
  .describe('a sandbox; unknown fields are absent');
const container = z
  .strictObject({ id: text.optional(), name: text, attempt: count.optional() })
  .describe('a container; unknown fields are absent');
const probe = z.enum(['liveness', 'readiness', 'startup']);
const subject = { pod: pod.optional(), container: container.optional() };

const outcome = {
  code: z.enum(codeNames),
  details: text.optional().describe('the text of an error'),
  trailers: z.record(text, z.array(text)).optional().describe('metadata that came with the status'),
  by: z
    .enum(['client', 'deadline'])
    .optional()
    .describe('who ended it, when the runtime did not: the client cancelled, or its deadline passed'),
  unreached: z
    .literal(true)
    .optional()
    .describe('no connection could be made, so that the call did not reach the runtime'),
};

const line = <K extends string, S extends z.ZodRawShape>(kind: K, about: string, shape: S) =>
  z.strictObject({ t: nanos, kind: z.literal(kind), ...shape }).describe(about);

const node = text.optional().describe('the node that it happened on, on a tape of nodes');
const entry = <K extends string, S extends z.ZodRawShape>(kind: K, about: string, shape: S) =>
  line(kind, about, { node, ...shape });

const callNumber = count.describe('the number of the call, from 1');

export const lineSchema = z.discriminatedUnion('kind', [
  line('header', 'the first line', {
    version: z.int().min(1).describe('of the format'),
    startedAt: z
      .string()
      .regex(/^\d{1,19}$/, 'expected Unix nanoseconds, 1 to 19 digits')
      .describe('Unix nanoseconds at t = 0'),
    clock: z.enum(['real', 'virtual']),
    recorder: text.describe('the program that wrote the tape, with its version'),
    runtime: z.strictObject({ name: text, version: text, apiVersion: text }).optional(),
    apiLevel: text.optional().describe('the CRI version that the runtime is held to, such as 1.36'),
    profile: text.optional(),
    kubelet: text.optional().describe('version of the kubelet'),
    seed: text.optional(),
    redacted: z.array(z.enum(redactions)).describe('what is replaced by keyed hashes'),
    lacks: z.array(text).optional().describe('what an imported tape lacks'),
  }),
  entry('call', 'a request has arrived', {
    call: callNumber,
    method: text,
    connection: count.describe('number of the connection; 0 within the process'),
    ...subject,
    timeout: count.optional().describe("nanoseconds until the client's deadline"),
    trace: text.optional().describe("W3C traceparent of the caller's span"),
    message: message.optional(),
    raw,
    sameAs,
  }),
  entry('reply', 'a unary call is answered', {
    call: callNumber,
    method: text,
    ...outcome,
    message: message.optional(),
    raw,
    sameAs,
  }),
  entry('message', 'one message of a stream is sent', {
    call: callNumber,
    method: text,
    ...subject,
    message: message.optional(),
    raw,
    sameAs,
  }),
  entry('end', 'a stream is over', { call: callNumber, method: text, ...outcome }),
  entry('connection', 'a client came or went', {
    connection: count,
    peer: text,
    what: z.enum(['opened', 'lost']),
  }),
  entry('fault', 'a fault rule acted', {
    rule: text,
    action: text,
    on: text.optional().describe('what triggered it: call, reply, message, connection or time'),
    method: text.optional(),
    call: callNumber.optional(),
    ...subject,
  }),
  entry('plugin', 'a node resource plugin (NRI) was taken in, or is gone', {
    plugin: text.describe('index and name, such as 10-logger'),
    connection: count.describe('tells plugins of one name apart'),
    what: z.enum(['synchronized', 'lost']),
    events: z.array(text).optional().describe('the events to which it subscribes, such as CreateContainer'),
  }),
  entry('nri', 'a request to a node resource plugin, or of one, is over', {
    plugin: text.describe('index and name, such as 10-logger'),
    connection: count.describe('tells plugins of one name apart'),
    method: text,
    ...subject,
    took: count.describe('nanoseconds'),
    details: text.optional().describe('why it failed'),
    failure: z
      .enum(['status', 'closed', 'timeout', 'protocol', 'oversized', 'cancelled'])
      .optional()
      .describe('the way in which it failed; status is the answer of the plugin'),
    shows: z.array(text).optional().describe('ids of containers that Synchronize shows'),
    adjusts: z.array(text).optional().describe('what the plugin changes, such as linux.devices'),
    updates: z.array(text).optional().describe('ids of containers whose resources the plugin changes'),
  }),
  entry('container', 'the lifecycle of a container in the runtime', {
    ...subject,
    what: z.enum(['created', 'started', 'ended', 'removed']),
    exitCode: z.int().optional(),
    reason: text.optional(),
    imageCommand: text
      .optional()
      .describe('the shell that ran, of a container with neither behavior nor command'),
  }),
  entry('sandbox', 'the lifecycle of a sandbox in the runtime', {
    pod,
    what: z.enum(['ready', 'stopped', 'removed']),
  }),
  entry('image', 'an image came or went', { image: text, what: z.enum(['pulled', 'removed']) }),
  entry('log', 'a line of a log', {
    from: z.enum(['kubelet', 'container', 'runtime']),
    text,
    stream: z.enum(['stdout', 'stderr']).optional(),
    ...subject,
  }),
  entry('row', 'a line of `kubectl get pod -w`', {
    pod,
    ready: text,
    status: text,
    restarts: count,
  }),
  entry('event', 'a Kubernetes event of the kubelet', {
    pod,
    field: text.describe('such as spec.containers{app}; empty for the pod'),
    type: text,
    reason: text,
    text,
    image: text.optional().describe('the image that it is about'),
    pull: z
      .enum(['begun', 'succeeded', 'failed', 'present', 'refused'])
      .optional()
      .describe('the outcome of a pull; refused by the policy Never'),
    probe: probe.optional().describe('the probe that failed, or because of which the container is stopped'),
  }),
  entry('node', 'the node, as the control plane sees it', {
    ready: z.enum(['True', 'False', 'Unknown']),
    reason: text,
    text,
    problems: z
      .array(
        z.enum([
          'pleg-starting',
          'pleg-unhealthy',
          'runtime-unchecked',
          'runtime-down',
          'runtime-not-ready',
          'network-not-ready',
          'network-unknown',
        ]),
      )
      .optional()
      .describe('what keeps the kubelet from being ready'),
    taint: text.optional(),
    evicting: z.boolean(),
  }),
  entry('backoff', 'the crash-loop back-off decided about a start', {
    pod,
    container,
    waits: z.boolean(),
    delay: count.describe('nanoseconds; 0 without an entry'),
    endedAgo: z
      .number()
      .optional()
      .describe('nanoseconds since the instance that counts ended, by the clock that its status is from'),
  }),
  entry('pleg', 'what the pod lifecycle event generator does', {
    state: z
      .enum([
        'starting',
        'healthy',
        'unhealthy',
        'relist',
        'evented',
        'stream-failed',
        'generic',
        'fast-path-off',
        'list-failed',
        'discarded',
      ])
      .describe(
        'its health, a relist, a stream of events that begins or fails, the end of its use of events, a list that failed, an event that is lost',
      ),
    text: text.optional(),
    duration: count.optional().describe('nanoseconds that a relist took'),
  }),
  entry('probe', 'the outcome of a probe', {
    pod,
    container,
    probe,
    outcome: z.enum(['success', 'warning', 'failure', 'unknown']),
    text: text.optional(),
  }),
  entry('kubelet', 'the kubelet starts or stops', {
    what: z.enum(['started', 'killed', 'exited']),
    text: text.optional().describe('why it exited'),
    restarts: count.optional().describe('nanoseconds until the service manager starts it again'),
  }),
  entry('pod', 'the lifecycle of a pod in the API', {
    pod,
    what: z.enum(['deleted', 'gone']).describe('asked to end, or ended and no longer there'),
  }),
  entry('step', 'a step of a scenario', { text }),
  entry('gap', 'entries were lost here', { lost: count, text }),
]);

export type Line = z.infer<typeof lineSchema>;

/** Messages are decoded on first use. */
export type Entry = Line extends infer L ? (L extends Line ? WithMessage<L> : never) : never;

type WithMessage<L extends Line> = L extends { kind: 'reply' }
  ? Omit<L, Written> & { readonly message?: Message | undefined }
  : L extends { kind: 'call' | 'message' }
    ? Omit<L, Written> & { readonly message: Message }
    : L;

type Written = 'message' | 'raw' | 'sameAs';

export type EntryOf<K extends Entry['kind']> = Extract<Entry, { kind: K }>;

export type Happening = Entry extends infer E ? (E extends Entry ? Omit<E, 't' | 'node'> : never) : never;

export type Header = EntryOf<'header'>;
export type PodName = z.infer<typeof pod>;
export type ContainerName = z.infer<typeof container>;
export interface Subject {
  readonly pod?: PodName | undefined;
  readonly container?: ContainerName | undefined;
}
