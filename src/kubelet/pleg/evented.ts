import type { Clock } from '../../clock/clock.js';
import { jitter, type Random } from '../../clock/random.js';
import { type ContainerEventResponse, ContainerEventType } from '../../cri/gen/runtime/v1/api.js';
import type { RuntimeClient } from '../runtime/client.js';
import { errorText, isUnreachable } from '../runtime/errors.js';
import type { KubeletFiles } from '../runtime/files.js';
import { ipsOf, toRuntimeStatus } from '../runtime/pod-status.js';
import { newestFirst } from '../runtime/pods.js';
import type { PodLifecycleEvent, RuntimeContainerStatus, RuntimePodStatus } from '../types.js';
import type { PodCache } from './cache.js';
import type { EventChannel } from './channel.js';
import { CHANNEL_CAPACITY } from './channel.js';
import { type GenericPleg, RELIST_PERIOD, RELIST_THRESHOLD } from './generic.js';
import type { PlegMetrics } from './metrics.js';

/** Relist period and threshold while designs A rely on events (ms). */
export const EVENTED_RELIST_PERIOD = 300_000;
export const EVENTED_RELIST_THRESHOLD = 10 * 60_000;

/** How often design A tells the cache that what it knows still holds (ms). */
const GLOBAL_CACHE_UPDATE_PERIOD = 5000;

/** Stream failures, counted over the whole life of the process, after which A and B give up. */
const MAX_STREAM_RETRIES = 5;

/** A stream that is still there after this time counts as connected (ms). */
const CONNECTED_AFTER = 10;

/** Design C: reconnecting back-off (ms). */
const FIRST_RECONNECT = 1000;
const MAX_RECONNECT = 60_000;

export interface EventedPlegOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly client: RuntimeClient;
  readonly files: KubeletFiles;
  readonly cache: PodCache;
  readonly channel: EventChannel;
  readonly generic: GenericPleg;
  readonly metrics: PlegMetrics;
  readonly design: 'A-seconds' | 'A' | 'B' | 'C';
  readonly log: (message: string) => void;
}

export interface EventedPleg {
  start(): void;
  stop(): void;
  /** False once design A or B has given up. */
  readonly inUse: boolean;
  health(): string | undefined;
}

/** EventedPLEG in the designs of kubelet 1.26–1.36 (A), 1.37 (B) and the draft for its beta (C), §4. */
export function createEventedPleg(options: EventedPlegOptions): EventedPleg {
  const { clock, client, cache, channel, generic, metrics, design, log } = options;
  const ownsCache = design === 'A' || design === 'A-seconds';
  let stopped: AbortController | undefined;
  let inUse = true;

  /** Reads one stream to its end; always throws, because the stream is not supposed to end. */
  const readStream = async (signal: AbortSignal): Promise<never> => {
    let connected = false;
    const connect = () => {
      if (!connected) metrics.eventedConnected();
      connected = true;
    };
    const timer = clock.setTimer(CONNECTED_AFTER, connect);
    try {
      for await (const event of client.events(signal)) {
        connect();
        await handle(event);
      }
    } catch (error) {
      if (isUnreachable(error)) log(`GetContainerEvents failed to get streaming client: ${errorText(error)}`);
      else connect();
      throw error;
    } finally {
      timer.cancel();
    }
    connect();
    throw new Error(ownsCache ? 'EOF' : 'CRI container event stream closed without an error');
  };

  const handle = async (event: ContainerEventResponse): Promise<void> => {
    const uid = event.podSandboxStatus?.metadata?.uid;
    if (uid === undefined || (design === 'C' && uid === '')) {
      log(
        'Evented PLEG: received ContainerEventResponse with nil PodSandboxStatus or PodSandboxStatus.Metadata',
      );
      return;
    }
    metrics.eventedLatency(Number(clock.now() - event.createdAt) / 1e9);
    if (ownsCache) await apply(uid, event);
    else if (event.containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT)
      generic.requestRelist(uid);
  };

  /** Design A: the event's list of containers replaces what was known of the pod. */
  const apply = async (uid: string, event: ContainerEventResponse): Promise<void> => {
    const timestamp = design === 'A-seconds' ? event.createdAt * 1_000_000_000n : event.createdAt;
    const data = event.containerId;
    if (event.containerEventType === ContainerEventType.CONTAINER_DELETED_EVENT) {
      if (event.podSandboxStatus?.id === data) cache.remove(uid);
      send({ uid, type: 'ContainerDied', data });
      send({ uid, type: 'ContainerRemoved', data });
      return;
    }
    const status = await statusOf(uid, event, timestamp);
    countContainers(known(cache, uid)?.containers ?? [], status.containers);
    if (!cache.set(uid, status, undefined, timestamp)) return;
    if (event.containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT) {
      send({ uid, type: 'ContainerDied', data });
    } else if (event.containerEventType === ContainerEventType.CONTAINER_STARTED_EVENT) {
      send({ uid, type: 'ContainerStarted', data });
    }
  };

  const statusOf = async (
    uid: string,
    { podSandboxStatus, containersStatuses }: ContainerEventResponse,
    timestamp: bigint,
  ): Promise<RuntimePodStatus> => {
    const sandboxes = podSandboxStatus === undefined ? [] : [podSandboxStatus];
    const containers = [];
    for (const each of containersStatuses) {
      containers.push(await toRuntimeStatus(each, podSandboxStatus?.id ?? '', options.files));
    }
    const ips = ipsOf(sandboxes);
    return {
      uid,
      name: podSandboxStatus?.metadata?.name ?? '',
      namespace: podSandboxStatus?.metadata?.namespace ?? '',
      ips: ips.length > 0 ? ips : (known(cache, uid)?.ips ?? []),
      sandboxes,
      containers: containers.sort(newestFirst),
      timestamp,
    };
  };

  /** updateRunningContainerMetric: by the difference to what was known of the pod. */
  const countContainers = (
    before: readonly RuntimeContainerStatus[],
    after: readonly RuntimeContainerStatus[],
  ): void => {
    const count = (containers: readonly RuntimeContainerStatus[], state: RuntimeContainerStatus['state']) =>
      containers.filter((each) => each.state === state).length;
    for (const state of new Set([...before, ...after].map((each) => each.state)))
      metrics.moreRunningContainers(state, count(after, state) - count(before, state));
  };

  const send = (event: PodLifecycleEvent) => {
    if (channel.send(event)) return;
    metrics.discardedEvent();
    log('Evented PLEG: Event channel is full, discarded pod lifecycle event');
  };

  /** A and B: five failures in the life of the process, however far apart, and it is over. */
  const untilExhausted = async (signal: AbortSignal): Promise<void> => {
    for (let attempts = 0; attempts < MAX_STREAM_RETRIES; attempts++) {
      const error = await readStream(signal).catch((failure: unknown) => failure);
      if (signal.aborted) return;
      metrics.eventedFailed();
      if (ownsCache) await generic.relist();
      log(`Evented PLEG: Failed to get container events, retrying: ${errorText(error)}`);
    }
    inUse = false;
    if (ownsCache) fallBack();
    else log('Evented PLEG: disabling container-termination fast path after exhausting event stream retries');
  };

  const fallBack = () => {
    log('Fall back to Generic PLEG relisting since Evented PLEG is not working');
    stopped?.abort();
    generic.stop();
    generic.update(RELIST_PERIOD, RELIST_THRESHOLD);
    generic.start();
  };

  /** C: reconnects for ever; a stream that lasted a minute starts the back-off anew. */
  const forEver = async (signal: AbortSignal): Promise<void> => {
    let delay = 0;
    while (!signal.aborted) {
      const begun = clock.elapsed();
      await readStream(signal).catch((error: unknown) => {
        if (signal.aborted) return;
        metrics.eventedFailed();
        log(`Evented PLEG: Failed to get container events, retrying: ${errorText(error)}`);
      });
      if (signal.aborted) return;
      if (clock.elapsed() - begun >= MAX_RECONNECT) delay = 0;
      await clock.sleep(delay === 0 ? 0 : jitter(options.random, delay, 0.5));
      delay = Math.min(delay === 0 ? FIRST_RECONNECT : delay * 2, MAX_RECONNECT);
    }
  };

  const tick = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      cache.updateTime(cache.stamp());
      await clock.sleep(GLOBAL_CACHE_UPDATE_PERIOD);
    }
  };

  return {
    start: () => {
      stopped = new AbortController();
      const { signal } = stopped;
      void clock.run(() => (design === 'C' ? forEver(signal) : untilExhausted(signal)));
      if (ownsCache) void clock.run(() => tick(signal));
    },
    stop: () => stopped?.abort(),
    get inUse() {
      return inUse;
    },
    health: () =>
      ownsCache && inUse && channel.length === CHANNEL_CAPACITY
        ? `EventedPLEG: pleg event channel capacity is full with ${channel.length} events`
        : undefined,
  };
}

/** What the cache has of a pod; undefined also when its last inspection failed. */
function known(cache: PodCache, uid: string): RuntimePodStatus | undefined {
  try {
    return cache.get(uid);
  } catch {
    return undefined;
  }
}
