import type { Clock } from '../../base/clock/clock.js';
import { type ContainerEventResponse, ContainerEventType } from '../../cri/gen/runtime/v1/api.js';
import { newestFirst } from '../client/list-pods.js';
import { ipsOfSandbox, toRuntimeStatus } from '../client/pod-status.js';
import type { KubeletFiles } from '../disk/files.js';
import type { PodLifecycleEvent, RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import { keepIps, knownStatus } from './cache.js';
import type { GenericPleg } from './generic.js';
import type { PlegMetrics } from './metrics.js';
import type { PodRecordsOptions } from './pod-records.js';

export interface CriEventsOptions
  extends Pick<PodRecordsOptions, 'cache' | 'channel' | 'metrics' | 'log' | 'report'> {
  readonly clock: Clock;
  readonly files: KubeletFiles;
  readonly generic: GenericPleg;
  /** `A-seconds`: design A that reads createdAt as seconds, like its first versions. See `createEventedPleg`. */
  readonly design: 'A-seconds' | 'A' | 'B' | 'C';
}

export type CriEventHandler = (event: ContainerEventResponse) => Promise<void>;

/** Design A trusts the content of the event; B and C use it only as a trigger for an inspection. */
export function createCriEventHandler(options: CriEventsOptions): CriEventHandler {
  const { clock, generic, metrics, design, log } = options;
  const apply = createCacheUpdater(options);
  return async (event) => {
    const uid = event.podSandboxStatus?.metadata?.uid;
    if (uid === undefined || (design === 'C' && uid === '')) {
      log(
        'Evented PLEG: received ContainerEventResponse with nil PodSandboxStatus or PodSandboxStatus.Metadata',
      );
      return;
    }
    metrics.eventedLatency(Number(clock.now() - event.createdAt) / 1e9);
    if (ownsCache(design)) await apply(uid, event);
    else if (event.containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT)
      generic.requestRelist(uid);
  };
}

/** Design A writes the cache; B and C leave that to the generic PLEG. */
export const ownsCache = (design: CriEventsOptions['design']): boolean =>
  design === 'A' || design === 'A-seconds';

function createCacheUpdater(options: CriEventsOptions) {
  const { cache, channel, metrics, design, log, report } = options;

  const send = (event: PodLifecycleEvent) => {
    if (channel.send(event)) return;
    metrics.discardedEvent();
    report({ state: 'discarded' });
    log('Evented PLEG: Event channel is full, discarded pod lifecycle event');
  };

  /** Design A: the event's containers replace the cached ones. */
  return async (uid: string, event: ContainerEventResponse): Promise<void> => {
    const timestamp = design === 'A-seconds' ? event.createdAt * 1_000_000_000n : event.createdAt;
    const data = event.containerId;
    const status = await generatePodStatus(options, uid, event, timestamp);
    updateRunningContainerMetric(metrics, knownStatus(cache, uid)?.containers ?? [], status.containers);
    if (event.containerEventType === ContainerEventType.CONTAINER_DELETED_EVENT) {
      if (event.podSandboxStatus?.id === data) cache.remove(uid);
      send({ uid, type: 'ContainerDied', data });
      send({ uid, type: 'ContainerRemoved', data });
      return;
    }
    if (!cache.set(uid, status, undefined, timestamp)) return;
    if (event.containerEventType === ContainerEventType.CONTAINER_STOPPED_EVENT) {
      send({ uid, type: 'ContainerDied', data });
    } else if (event.containerEventType === ContainerEventType.CONTAINER_STARTED_EVENT) {
      send({ uid, type: 'ContainerStarted', data });
    }
  };
}

/** GeneratePodStatus, from the event alone. */
async function generatePodStatus(
  { cache, files }: CriEventsOptions,
  uid: string,
  { podSandboxStatus, containersStatuses }: ContainerEventResponse,
  timestamp: bigint,
): Promise<RuntimePodStatus> {
  const sandboxes = podSandboxStatus === undefined ? [] : [podSandboxStatus];
  const containers = [];
  for (const each of containersStatuses) {
    containers.push(await toRuntimeStatus(each, false, files));
  }
  const status = {
    uid,
    name: podSandboxStatus?.metadata?.name ?? '',
    namespace: podSandboxStatus?.metadata?.namespace ?? '',
    ips: podSandboxStatus === undefined ? [] : ipsOfSandbox(podSandboxStatus),
    sandboxes,
    containers: containers.sort(newestFirst),
    timestamp,
  };
  return keepIps(status, cache);
}

/** Changes the gauge by the difference from the cached status. */
function updateRunningContainerMetric(
  metrics: PlegMetrics,
  before: readonly RuntimeContainerStatus[],
  after: readonly RuntimeContainerStatus[],
): void {
  const count = (containers: readonly RuntimeContainerStatus[], state: RuntimeContainerStatus['state']) =>
    containers.filter((each) => each.state === state).length;
  for (const state of new Set([...before, ...after].map((each) => each.state)))
    metrics.moreRunningContainers(state, count(after, state) - count(before, state));
}
