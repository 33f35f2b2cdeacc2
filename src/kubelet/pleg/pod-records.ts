import { errorText } from '../client/errors.js';
import type { ListedPod } from '../client/list-pods.js';
import type { PlegReport } from '../types/reports.js';
import type { PodLifecycleEvent, RuntimePodStatus } from '../types/runtime-status.js';
import type { PodCache } from './cache.js';
import type { EventChannel } from './channel.js';
import type { PlegMetrics } from './metrics.js';

export interface PodRecordsOptions {
  readonly cache: PodCache;
  readonly channel: EventChannel;
  readonly metrics: PlegMetrics;
  /** Reads the pod's status and stamps it with `timestamp` (Unix nanoseconds). */
  readonly inspect: (pod: ListedPod, timestamp: bigint) => Promise<RuntimePodStatus>;
  /** With EventedPLEG: a status that the cache refuses as older produces no events. */
  readonly skipRefused: boolean;
  /** From 1.36 on a repeated inspection without events sends PodSync. */
  readonly syncsReinspected: boolean;
  /** Up to 1.31, failed inspections are repeated after all pods with events, even if one has just failed again. */
  readonly reinspectsLast: boolean;
  readonly log: (message: string) => void;
  readonly report: (report: PlegReport) => void;
}

/** podRecords and podsToReinspect of the GenericPLEG: the last listing of each pod. */
export interface PodRecords {
  /** Pods whose last inspection failed; the next relist repeats it. */
  readonly reinspect: ReadonlySet<string>;
  /** RequestPodReinspect: the next relist inspects this pod, and sends PodSync if nothing else changed. */
  inspectAgain(uid: string): void;
  uids(): Iterable<string>;
  /** Compares the pod (undefined: not listed) at `ts` with its record, updates the cache, then sends events. */
  reconcile(uid: string, next: ListedPod | undefined, ts: bigint): Promise<void>;
  /** Repeats the remaining failed inspections. Call it after all pods were compared. */
  reinspectRest(pods: ReadonlyMap<string, ListedPod>, ts: bigint): Promise<void>;
}

export function createPodRecords(options: PodRecordsOptions): PodRecords {
  const { cache, channel, metrics, skipRefused, syncsReinspected, reinspectsLast, log, report } = options;
  const records = new Map<string, ListedPod>();
  const reinspect = new Set<string>();
  const rest = new Set<string>();
  const asked = new Set<string>();

  const deliver = (
    uid: string,
    old: ListedPod | undefined,
    next: ListedPod | undefined,
    inspected: boolean,
  ) => {
    const events = podEvents(uid, old, next);
    if (events.length === 0 && inspected) events.push({ uid, type: 'PodSync', data: '' });
    for (const event of events) {
      if (event.type === 'ContainerChanged' || channel.send(event)) continue;
      metrics.discardedEvent();
      report({ state: 'discarded' });
      log('Event channel is full, discard this relist() cycle event');
    }
  };

  const inspect = async (
    uid: string,
    next: ListedPod | undefined,
    ts: bigint,
  ): Promise<'new' | 'refused' | 'failed'> => {
    if (next === undefined) {
      cache.remove(uid);
      return 'new';
    }
    try {
      const status = await options.inspect(next, ts);
      return cache.set(uid, status, undefined, status.timestamp) ? 'new' : 'refused';
    } catch (error) {
      log(`GenericPLEG: Ignoring events for pod ${next.namespace}/${next.name}: ${errorText(error)}`);
      cache.set(uid, undefined, error, ts);
      reinspect.add(uid);
      return 'failed';
    }
  };

  const reconcile = async (uid: string, next: ListedPod | undefined, ts: bigint): Promise<void> => {
    const old = records.get(uid);
    const again = reinspect.delete(uid);
    const isAsked = asked.delete(uid);
    const hasEvents = podEvents(uid, old, next).length > 0;
    if (again && reinspectsLast) rest.add(uid);
    if (!hasEvents && (!again || reinspectsLast)) {
      if (next !== undefined) records.set(uid, next);
      return;
    }
    const inspected = await inspect(uid, next, ts);
    if (inspected === 'failed') return;
    rest.delete(uid);
    if (inspected === 'refused' && skipRefused) return;
    if (next === undefined) records.delete(uid);
    else records.set(uid, next);
    deliver(uid, old, next, again && (syncsReinspected || isAsked));
  };

  return {
    reinspect,
    inspectAgain: (uid) => {
      if (!records.has(uid)) return;
      reinspect.add(uid);
      asked.add(uid);
    },
    uids: () => records.keys(),
    reconcile,
    reinspectRest: async (pods, ts) => {
      for (const uid of [...rest]) {
        rest.delete(uid);
        reinspect.delete(uid);
        await inspect(uid, pods.get(uid), ts);
      }
    },
  };
}

/** Created containers count as unknown. */
type PlegState = 'running' | 'exited' | 'unknown' | 'non-existent';

/** generic.go computeEvents. */
function podEvents(
  uid: string,
  old: ListedPod | undefined,
  next: ListedPod | undefined,
): PodLifecycleEvent[] {
  if (old === next) return [];
  const before = statesOf(old);
  const after = statesOf(next);
  const events: PodLifecycleEvent[] = [];
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const types = transition(before.get(id) ?? 'non-existent', after.get(id) ?? 'non-existent');
    for (const type of types) events.push({ uid, type, data: id });
  }
  return events;
}

/** generic.go generateEvents. */
export function transition(old: PlegState, next: PlegState): PodLifecycleEvent['type'][] {
  if (old === next) return [];
  switch (next) {
    case 'running':
      return ['ContainerStarted'];
    case 'exited':
      return ['ContainerDied'];
    case 'unknown':
      return ['ContainerChanged'];
    case 'non-existent':
      return old === 'exited' ? ['ContainerRemoved'] : ['ContainerDied', 'ContainerRemoved'];
  }
}

function statesOf(pod: ListedPod | undefined): Map<string, PlegState> {
  const states = new Map<string, PlegState>();
  for (const { id, state } of pod?.containers ?? []) states.set(id, state === 'created' ? 'unknown' : state);
  for (const { id, ready } of pod?.sandboxes ?? []) states.set(id, ready ? 'running' : 'exited');
  return states;
}
