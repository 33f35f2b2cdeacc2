import { z } from 'zod';
import type { ContainerApiStatus } from '../../../kubelet/kubernetes/pod-status.js';
import { podStatusSchema } from '../../../kubelet/kubernetes/pod-status.js';
import { podRow } from '../../../kubelet/status/row.js';
import type { Seen, SeenTime } from '../facts.js';
import { apiTime } from './clock-times.js';
import { podName } from './context.js';
import { seenRuntime } from './seen-runtime.js';

const text = z.string().default('');
const metadataSchema = z.object({
  name: text,
  namespace: z.string().optional(),
  creationTimestamp: z.string().nullish(),
  deletionTimestamp: z.string().nullish(),
  deletionGracePeriodSeconds: z.number().nullish(),
});

const podSchema = z.object({
  metadata: metadataSchema,
  spec: z
    .object({
      containers: z.array(z.looseObject({ name: text })).default([]),
      initContainers: z
        .array(z.looseObject({ name: text, restartPolicy: z.string().optional() }))
        .default([]),
    })
    .prefault({}),
  status: podStatusSchema.prefault({}),
});

const eventSchema = z.object({
  involvedObject: z.object({ kind: text, name: text, namespace: z.string().optional() }).prefault({}),
  regarding: z.object({ kind: text, name: text, namespace: z.string().optional() }).optional(),
  type: text,
  reason: text,
  message: text,
  note: text,
  count: z.int().nullish(),
  series: z.object({ count: z.int().default(1), lastObservedTime: z.string().nullish() }).nullish(),
  firstTimestamp: z.string().nullish(),
  lastTimestamp: z.string().nullish(),
  eventTime: z.string().nullish(),
  source: z.object({ component: text }).nullish(),
  reportingComponent: text,
  reportingController: text,
  metadata: metadataSchema.prefault({}),
});

const nodeSchema = z.object({
  status: z
    .object({
      conditions: z
        .array(
          z.object({ type: text, status: text, message: text, lastTransitionTime: z.string().nullish() }),
        )
        .default([]),
      nodeInfo: z.object({ kubeletVersion: text, containerRuntimeVersion: text }).prefault({}),
    })
    .prefault({}),
});

const kindSchema = z.looseObject({ kind: z.string() });

/** Undefined for an object that shows nothing. Incomplete objects show their known fields. */
export function readObject(object: unknown): Seen[] | undefined {
  const kind = kindSchema.safeParse(object).data?.kind;
  if (kind === 'Pod') return readWith(podSchema, object, ofPod);
  if (kind === 'Event') return readWith(eventSchema, object, ofEvent);
  if (kind === 'Node') return readWith(nodeSchema, object, ofNode);
  return undefined;
}

function readWith<S extends z.ZodType>(
  schema: S,
  object: unknown,
  read: (value: z.output<S>) => Seen[],
): Seen[] | undefined {
  const { data } = schema.safeParse(object);
  return data === undefined ? undefined : read(data);
}

function ofPod({ metadata, spec, status }: z.output<typeof podSchema>): Seen[] {
  const pod = podName(metadata.namespace, metadata.name);
  const created = apiTime(metadata.creationTimestamp);
  // Includes the grace period (metav1.ObjectMeta).
  const grace = (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  const deleted = apiTime(metadata.deletionTimestamp).map((time) =>
    time.by === 'clock' ? { ...time, ms: time.ms - grace } : time,
  );
  const when = latestTime(status.containerStatuses);
  const deletion = deleted.length > 0 && { deletionTimestamp: 1n };
  const shown = podRow({ metadata: { name: metadata.name, ...deletion }, spec }, status, 0n);
  const { ready, restarts } = shown;
  const all = [...status.initContainerStatuses, ...status.containerStatuses];
  return [
    ...(created.length > 0 ? [{ what: 'created' as const, pod, times: created }] : []),
    ...(deleted.length > 0 ? [{ what: 'deleted' as const, pod, times: deleted }] : []),
    { what: 'row', pod, ready, status: shown.status, restarts, times: when },
    ...all.flatMap((container) => endsOf(container, pod)),
  ];
}

function latestTime(statuses: readonly ContainerApiStatus[]): SeenTime[] {
  const all = statuses.flatMap(({ state }) =>
    state.kind === 'running' ? [state.startedAt] : state.kind === 'terminated' ? [state.finishedAt] : [],
  );
  const latest = all.sort((a, b) => Number(b - a))[0] ?? 0n;
  return latest === 0n ? [] : [{ by: 'clock', ms: Number(latest / 1_000_000n), within: 1000 }];
}

function endsOf({ name, state, lastState }: ContainerApiStatus, pod: string): Seen[] {
  return [lastState, state].flatMap((each): Seen[] => {
    if (each?.kind !== 'terminated') return [];
    const { exitCode, reason, startedAt, finishedAt } = each;
    const isKnown = finishedAt > 0n;
    return [
      {
        what: 'end',
        pod,
        container: name,
        exitCode,
        reason,
        ...(isKnown && startedAt > 0n && { ran: Number(finishedAt - startedAt) / 1e9 }),
        times: isKnown ? [{ by: 'clock', ms: Number(finishedAt / 1_000_000n), within: 1000 }] : [],
      },
    ];
  });
}

function ofEvent(given: z.output<typeof eventSchema>): Seen[] {
  const { type, reason, message, note, count, series, firstTimestamp, lastTimestamp, eventTime, metadata } =
    given;
  const about = given.regarding ?? given.involvedObject;
  if (about.kind !== 'Pod' && about.kind !== 'Node') return [];
  const fallback = apiTime(eventTime ?? metadata.creationTimestamp);
  const first = [...apiTime(firstTimestamp), ...fallback].slice(0, 1);
  const last = [...apiTime(series?.lastObservedTime ?? lastTimestamp), ...fallback].slice(0, 1);
  const pod = about.kind === 'Pod' ? podName(about.namespace, about.name) : '';
  const source = given.source?.component || given.reportingComponent || given.reportingController;
  return [
    {
      what: 'event',
      pod,
      type,
      reason,
      ...(source !== '' && { source }),
      message: message || note,
      count: count ?? series?.count ?? 1,
      first,
      times: last,
    },
  ];
}

function ofNode({ status: { conditions, nodeInfo } }: z.output<typeof nodeSchema>): Seen[] {
  const ready = conditions.find(({ type }) => type === 'Ready');
  const version = /^v(\d+\.\d+)\./.exec(nodeInfo.kubeletVersion)?.[1];
  return [
    ...(ready === undefined
      ? []
      : [
          {
            what: 'node' as const,
            isReady: ready.status === 'True',
            message: ready.message,
            times: apiTime(ready.lastTransitionTime),
          },
        ]),
    ...(version === undefined ? [] : [{ what: 'version' as const, version }]),
    ...seenRuntime(nodeInfo.containerRuntimeVersion),
  ];
}

const listSchema = z.looseObject({ items: z.array(z.unknown()), kind: z.string().default('List') });

/** Items of a typed list may have no kind. */
export function objectsOf(value: unknown): unknown[] {
  const list = listSchema.safeParse(value).data;
  if (list === undefined) return [value];
  const kind = list.kind.replace(/List$/, '');
  return list.items.map((item) => (kind === '' || typeof item !== 'object' ? item : { kind, ...item }));
}

const podJson = z.object({ t: z.number(), pod: z.string() });
const runRow = podJson.extend({ ready: z.string(), status: z.string(), restarts: z.int() });
const runEvent = podJson.extend({ type: z.string(), reason: z.string(), message: z.string() });
const runNode = z.object({ t: z.number(), ready: z.string(), message: z.string() });
const runSchema = z.object({
  rows: z.array(runRow),
  events: z.array(runEvent).default([]),
  nodes: z.array(runNode).default([]),
});

/** Reads Mockri's JSON output: one row, or rows, events and nodes. */
export function readRunJson(value: unknown): Seen[] | undefined {
  const row = runRow.safeParse(value).data;
  if (row !== undefined) return [ofRow(row)];
  const run = runSchema.safeParse(value).data;
  if (run === undefined) return undefined;
  return [
    ...run.rows.map(ofRow),
    ...run.events.map(({ t, ...rest }): Seen => {
      const times = [{ by: 'run' as const, seconds: t }];
      return { what: 'event', ...rest, count: 1, first: times, times };
    }),
    ...run.nodes.map(({ t, ready, message }): Seen => {
      return { what: 'node', isReady: ready === 'True', message, times: [{ by: 'run', seconds: t }] };
    }),
  ];
}

const ofRow = ({ t, ...rest }: z.output<typeof runRow>): Seen => ({
  what: 'row',
  ...rest,
  times: [{ by: 'run', seconds: t }],
});
