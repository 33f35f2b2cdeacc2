import type { Clock } from '../../clock/clock.js';
import { formatDuration } from '../../input/duration.js';
import type { RuntimeClient } from '../runtime/client.js';
import { errorText } from '../runtime/errors.js';
import { createPodLister, type ListedPod, listPods } from '../runtime/pods.js';
import type { RuntimePodStatus } from '../types.js';
import type { PodCache } from './cache.js';
import type { EventChannel } from './channel.js';
import { podEvents } from './events.js';
import type { PlegMetrics } from './metrics.js';

/** genericPlegRelistPeriod and genericPlegRelistThreshold, in ms. */
export const RELIST_PERIOD = 1000;
export const RELIST_THRESHOLD = 3 * 60_000;

/** Requests for a single pod that wait at most; more are dropped (≥ 1.36). */
const REQUEST_CAPACITY = 200;

export interface GenericPlegOptions {
  readonly clock: Clock;
  readonly client: RuntimeClient;
  readonly cache: PodCache;
  readonly channel: EventChannel;
  readonly metrics: PlegMetrics;
  readonly inspect: (pod: ListedPod, timestamp: bigint) => Promise<RuntimePodStatus>;
  /** EventedPLEG on: a status that the cache refuses as older produces no events. */
  readonly heedRefusal: boolean;
  /** ≥ 1.36: single pods are relisted on request, and a reinspection without events sends PodSync. */
  readonly onDemand: boolean;
  readonly period: number;
  readonly threshold: number;
  readonly log: (message: string) => void;
}

export interface GenericPleg {
  start(): void;
  stop(): void;
  /** New period and threshold (ms), from the next start on. */
  update(period: number, threshold: number): void;
  relist(): Promise<void>;
  /** Asks for a relist of one pod as soon as possible; ignored where there is no such thing. */
  requestRelist(uid: string): void;
  /** Why it is not healthy; undefined when it is. */
  health(): string | undefined;
}

/** GenericPLEG (kubelet pleg/generic.go, §3). */
export function createGenericPleg(options: GenericPlegOptions): GenericPleg {
  const { clock, client, cache, channel, metrics, inspect, heedRefusal, onDemand, log } = options;
  const records = new Map<string, ListedPod>();
  const reinspect = new Set<string>();
  const requests = new Map<string, bigint>();
  const listAll = createPodLister(client);
  let { period, threshold } = options;
  let relistTime: bigint | undefined;
  let listed: Map<string, ListedPod> | undefined;
  let lock: Promise<unknown> = Promise.resolve();
  let running: AbortController | undefined;
  let wake = () => {};

  const exclusively = <T>(task: () => Promise<T>): Promise<T> => {
    const turn = lock.then(task, task);
    lock = turn.catch(() => {});
    return turn;
  };

  const deliver = (
    uid: string,
    old: ListedPod | undefined,
    next: ListedPod | undefined,
    inspected: boolean,
  ) => {
    const events = podEvents(uid, old, next);
    if (events.length === 0 && inspected && onDemand) events.push({ uid, type: 'PodSync', data: '' });
    for (const event of events) {
      if (event.type === 'ContainerChanged' || channel.send(event)) continue;
      metrics.discardedEvent();
      log('Event channel is full, discard this relist() cycle event');
    }
  };

  const reconcile = async (uid: string, next: ListedPod | undefined, ts: bigint): Promise<void> => {
    const old = records.get(uid);
    const again = reinspect.delete(uid);
    if (!again && podEvents(uid, old, next).length === 0) {
      if (next !== undefined) records.set(uid, next);
      return;
    }
    if (next === undefined) {
      cache.remove(uid);
    } else {
      try {
        const status = await inspect(next, ts);
        const accepted = cache.set(uid, status, undefined, status.timestamp);
        if (heedRefusal && !accepted) return;
      } catch (error) {
        log(`GenericPLEG: Ignoring events for pod ${next.namespace}/${next.name}: ${errorText(error)}`);
        cache.set(uid, undefined, error, ts);
        reinspect.add(uid);
        return;
      }
    }
    if (next === undefined) records.delete(uid);
    else records.set(uid, next);
    deliver(uid, old, next, again);
  };

  const relistAll = async (): Promise<void> => {
    if (relistTime !== undefined) metrics.relistInterval(seconds(clock.now() - relistTime));
    const begun = clock.elapsed();
    const ts = cache.stamp();
    try {
      const pods = await listAll();
      relistTime = ts;
      updateGauges(pods);
      if (pods !== listed || reinspect.size > 0) {
        for (const uid of new Set([...records.keys(), ...pods.keys()]))
          await reconcile(uid, pods.get(uid), ts);
        listed = reinspect.size > 0 ? undefined : pods;
      }
      cache.updateTime(ts);
    } catch (error) {
      log(`GenericPLEG: Unable to retrieve pods: ${errorText(error)}`);
    } finally {
      metrics.relistDuration((clock.elapsed() - begun) / 1000);
    }
  };

  const updateGauges = (pods: ReadonlyMap<string, ListedPod>): void => {
    if (pods === listed) return;
    const counts = new Map<ListedPod['containers'][number]['state'], number>();
    let sandboxes = 0;
    for (const pod of pods.values()) {
      if (pod.sandboxes.some(({ ready }) => ready)) sandboxes++;
      for (const { state } of pod.containers) counts.set(state, (counts.get(state) ?? 0) + 1);
    }
    metrics.runningPods(sandboxes);
    for (const [state, count] of counts) metrics.runningContainers(state, count);
  };

  /** One pod by its label. A request from before the last full relist is served by it already. */
  const relistPod = async (uid: string, requested: bigint): Promise<void> => {
    if (relistTime !== undefined && requested < relistTime) return;
    const begun = clock.elapsed();
    const ts = cache.stamp();
    try {
      const pod = (await listPods(client, { uid })).get(uid);
      listed = undefined;
      await reconcile(uid, pod, ts);
      cache.setObservedTime(uid, ts);
    } catch (error) {
      log(`GenericPLEG: Unable to retrieve pod ${uid}: ${errorText(error)}`);
    } finally {
      metrics.podRelistDuration((clock.elapsed() - begun) / 1000);
    }
  };

  /** Priority: stop, then the timer, then requests; the period counts from the end of a relist. */
  const work = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await exclusively(relistAll);
      let due = false;
      const timer = clock.setTimer(period, () => {
        due = true;
        wake();
      });
      while (!due && !signal.aborted) {
        const [request] = requests;
        if (request === undefined) {
          await clock.idle(
            new Promise<void>((resolve) => {
              wake = resolve;
            }),
          );
          continue;
        }
        requests.delete(request[0]);
        await exclusively(() => relistPod(...request));
      }
      timer.cancel();
    }
  };

  return {
    start: () => {
      if (running !== undefined) return;
      running = new AbortController();
      const { signal } = running;
      void clock.run(() => work(signal));
    },
    stop: () => {
      running?.abort();
      running = undefined;
      wake();
    },
    update: (nextPeriod, nextThreshold) => {
      period = nextPeriod;
      threshold = nextThreshold;
    },
    relist: () => exclusively(relistAll),
    requestRelist: (uid) => {
      if (!onDemand || requests.has(uid) || requests.size >= REQUEST_CAPACITY) return;
      requests.set(uid, cache.stamp());
      wake();
    },
    health: () => {
      if (relistTime === undefined) return 'pleg has yet to be successful';
      metrics.lastSeen(Number(relistTime / 1_000_000_000n));
      const elapsed = Number(clock.now() - relistTime) / 1e6;
      if (elapsed <= threshold) return undefined;
      return `pleg was last seen active ${formatDuration(elapsed)} ago; threshold is ${formatDuration(threshold)}`;
    },
  };
}

const seconds = (nanos: bigint): number => Number(nanos) / 1e9;
