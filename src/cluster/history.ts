import { z } from 'zod';
import { firstFound } from '../base/clock/first-found.js';
import { createRealClock } from '../base/clock/real-clock.js';
import { memoryOf } from '../base/input/account.js';
import { wholeNumberSchema } from '../base/input/schemas.js';
import type { Route } from '../runtime/control/router.js';
import { waitSchema } from '../runtime/control/wait.js';
import type { LifecycleStep } from '../runtime/engine/events/lifecycle.js';
import type { SandboxRecord } from '../runtime/engine/state/records.js';
import { compilePattern } from '../runtime/faults/language/pattern.js';
import { pattern } from '../runtime/faults/language/rule-schema.js';
import { listenTo } from '../tape/tape.js';
import type { ClusterNode } from './node/cluster-node.js';

/** Entries that are kept, and their memory in bytes: a pod's author chooses names of images and output of probes. */
const MOST = 10_000;
const MOST_MEMORY = 16 * 1024 * 1024;

export const historyKinds = ['container', 'event'] as const;
const steps = { CREATED: 'created', STARTED: 'started', STOPPED: 'ended', DELETED: 'removed' } as const;
export const historySteps = Object.values(steps);

export const historySchema = z.strictObject({
  node: pattern.optional(),
  namespace: pattern.optional(),
  pod: pattern.optional(),
  container: pattern.optional(),
  kind: z.enum(historyKinds).optional(),
  what: z.enum(historySteps).optional(),
  reason: pattern.optional(),
  attempt: wholeNumberSchema(0).optional().describe('only this attempt of a container and later ones'),
  since: wholeNumberSchema(0).default(0).describe('the `next` of an earlier reply: only later entries'),
  limit: wholeNumberSchema(1, MOST).default(MOST).describe('the newest entries up to this number'),
  wait: waitSchema,
});

type Asked = Omit<z.output<typeof historySchema>, 'limit' | 'wait'>;

interface Entry {
  /** Numbers start at 1. */
  readonly sequence: number;
  /** Unix nanoseconds of the node's clock. */
  readonly at: bigint;
  readonly node: string;
  readonly kind: (typeof historyKinds)[number];
  readonly pod: { readonly name: string; readonly namespace: string; readonly uid: string };
  /** Events name no attempt. */
  readonly container?: { readonly name: string; readonly attempt?: number };
  readonly what?: (typeof historySteps)[number];
  readonly exitCode?: number;
  /** The type of an event. */
  readonly type?: string;
  /** The reason of an event, or why a container ended. */
  readonly reason?: string;
  readonly message?: string;
}

/** `GET /v1/history`: what containers did, and the events of their pods, from the start of the process on. */
export function historyRoute(nodes: ReadonlyMap<string, ClusterNode>): Route {
  const kept: Entry[] = [];
  let memory = 0;
  let sequence = 0;
  const listeners = new Set<() => void>();
  const add = (made: Omit<Entry, 'sequence'>) => {
    const entry = { sequence: ++sequence, ...made };
    kept.push(entry);
    memory += memoryOf(entry);
    while (kept.length > MOST || memory > MOST_MEMORY) memory -= memoryOf(kept.shift());
    for (const listener of listeners) listener();
  };
  for (const { name: node, runtime, tape } of nodes.values()) {
    runtime.watchLifecycle((step) => {
      const made = containerStep(step);
      if (made !== undefined) add({ at: tape.clock.now(), node, ...made });
    });
    listenTo(tape, 'event', ({ pod, field, type, reason, text: message }) => {
      const [, name] = /\{(.*)\}/.exec(field) ?? [];
      const { name: podName, namespace, uid = '' } = pod;
      add({
        at: tape.clock.now(),
        node,
        kind: 'event',
        pod: { name: podName, namespace, uid },
        ...(name !== undefined && { container: { name } }),
        type,
        reason,
        message,
      });
    });
  }
  const clock = createRealClock();
  return {
    method: 'GET',
    path: '/v1/history',
    handle: async ({ query, signal }) => {
      const { limit, wait, ...asked } = query(historySchema);
      const fits = compileFilter(asked);
      const find = (since = 0) => kept.slice(Math.max(0, kept.length - (sequence - since))).filter(fits);
      const entries = await firstFound(
        find(),
        (end) => {
          const look = () => end(find(sequence - 1));
          listeners.add(look);
          return () => listeners.delete(look);
        },
        { clock, limit: wait, signal },
      );
      return { json: { entries: entries.slice(-limit), next: sequence } };
    },
  };
}

function containerStep({
  event,
  record,
}: LifecycleStep): Omit<Entry, 'sequence' | 'at' | 'node'> | undefined {
  if (!('sandbox' in record)) return undefined;
  const { name, attempt, phase, sandbox } = record;
  return {
    kind: 'container',
    what: steps[event],
    pod: podOf(sandbox),
    container: { name, attempt },
    ...(event === 'STOPPED' && 'exitCode' in phase && { exitCode: phase.exitCode, reason: phase.reason }),
  };
}

const podOf = ({ metadata: { name, namespace, uid } }: SandboxRecord): Entry['pod'] => ({
  name,
  namespace,
  uid,
});

function compileFilter({
  node,
  namespace,
  pod,
  container,
  reason,
  ...asked
}: Asked): (entry: Entry) => boolean {
  const test = (source: string | undefined) => {
    if (source === undefined) return () => true;
    const matches = compilePattern(source);
    return (text: string | undefined) => text !== undefined && matches(text);
  };
  const fits = {
    node: test(node),
    namespace: test(namespace),
    pod: test(pod),
    container: test(container),
    reason: test(reason),
  };
  const { kind, what, attempt, since } = asked;
  return (entry) =>
    entry.sequence > since &&
    (kind === undefined || entry.kind === kind) &&
    (what === undefined || entry.what === what) &&
    (attempt === undefined || (entry.container?.attempt ?? -1) >= attempt) &&
    fits.node(entry.node) &&
    fits.namespace(entry.pod.namespace) &&
    fits.pod(entry.pod.name) &&
    fits.container(entry.container?.name) &&
    fits.reason(entry.reason);
}
