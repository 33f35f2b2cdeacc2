import { type ListedPod, listPods } from '../client/list-pods.js';
import { getPodStatus, type PodStatusOptions } from '../client/pod-status.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import { emptyStatus } from '../pleg/cache.js';
import type { Resizing } from '../resize/resizing.js';
import type { RuntimeContext } from '../runtime/context.js';
import { killPod, type RunningPod, runningPodOf } from '../runtime/kill.js';
import { skeletonOf } from '../runtime/skeleton-pod.js';
import { syncRuntimePod } from '../runtime/sync-pod.js';
import { SyncResults } from '../runtime/sync-results.js';
import { createVolumeManager } from '../runtime/volumes.js';
import { endContainers } from '../status/container-statuses.js';
import type { ProbeManager } from '../types/ports.js';
import type { Problem } from '../types/reports.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import type { PodStatuses } from './pod-statuses.js';
import type { PodSyncer, Synced } from './pod-worker-loop.js';
import type { WritableReasonCache } from './reason-cache.js';

export interface PodSyncerOptions {
  readonly runtime: RuntimeContext;
  readonly inspection: PodStatusOptions;
  readonly reasons: WritableReasonCache;
  readonly probes: ProbeManager;
  readonly statuses: Pick<PodStatuses, 'generate' | 'publish' | 'sandboxReady'>;
  readonly resizing: Pick<Resizing, 'follow' | 'failed'>;
  readonly isTerminating: (uid: string) => boolean;
  readonly networkErrors: () => readonly Problem[];
  /** Requests another sync immediately. */
  readonly resync: (pod: Pod) => void;
}

/** Kubelet.SyncPod, SyncTerminatingPod and SyncTerminatedPod (kubelet.go). */
export function createPodSyncer(options: PodSyncerOptions): PodSyncer {
  const { runtime, inspection, reasons, probes } = options;
  const { generate, publish, sandboxReady } = options.statuses;
  const { recorder, client } = runtime;
  const volumes = createVolumeManager(runtime);

  const syncPod = async (pod: Pod, status: RuntimePodStatus): Promise<Synced> => {
    const { uid } = pod.metadata;
    options.resizing.follow(pod, status);
    const shown = generate(pod, status, false);
    publish(pod, shown);
    if (shown.phase === 'Succeeded' || shown.phase === 'Failed') return { ended: true, changed: false };
    const [network] = options.networkErrors();
    if (network !== undefined && !pod.spec.hostNetwork) {
      const message = `network is not ready: ${network.text}`;
      recorder.event(pod, 'Warning', 'NetworkNotReady', message);
      throw new Error(message);
    }
    const restartingAll = shown.conditions.some(
      ({ type, status: value }) => type === 'AllContainersRestarting' && value === 'True',
    );
    const onSandboxReady = () => sandboxReady(pod);
    const isTerminating = () => options.isTerminating(uid);
    await volumes.setUp(pod, isTerminating);
    probes.addPod(pod);
    // For a host-network pod, the API shows the host's addresses too (kubelet.go SyncPod).
    const addressed = { ...status, ips: shown.podIPs };
    const sync = { pod, status: addressed, restartingAll, onSandboxReady, isTerminating };
    const results = await syncRuntimePod(runtime, sync);
    reasons.update(uid, results);
    const hasFailedPull = results.steps.some(({ failure }) => failure?.reason === 'ErrImagePull');
    if (hasFailedPull) await runtime.images.pullFailed(pod);
    for (const { action, failure } of results.steps)
      if (action === 'ResizePodInPlace' && failure !== undefined)
        options.resizing.failed(pod, failure.message);
    const error = results.error();
    if (error !== undefined) throw error;
    const hasRemoved = results.steps.some(({ action }) => action === 'RemoveContainer');
    if (hasRemoved && runtime.version.minor >= 36) options.resync(pod);
    return { ended: false, changed: results.steps.length > 0 };
  };

  const stop = async (
    pod: Pod,
    running: RunningPod,
    graceOverride: number | undefined,
    whatFailed = '',
  ): Promise<void> => {
    const results = new SyncResults();
    await killPod(runtime, { pod, running, graceOverride, results });
    const error = results.error();
    if (error === undefined) return;
    recorder.event(pod, 'Warning', 'FailedKillPod', `error killing pod: ${error.message}`);
    throw new Error(`${whatFailed}${error.message}`);
  };

  /** Inspects the runtime again, because StopContainer may have returned too early. */
  const inspectNow = async (uid: string): Promise<RuntimePodStatus> => {
    const listed = (await listPods(client, { uid })).get(uid);
    return listed === undefined ? emptyStatus(uid) : getPodStatus(listed, runtime.clock.now(), inspection);
  };

  const terminatePod = async (
    pod: Pod,
    status: RuntimePodStatus,
    grace: number | undefined,
  ): Promise<void> => {
    publish(pod, generate(pod, status, false));
    probes.stopLivenessAndStartup(pod);
    const whatFailed = runtime.version.minor >= 36 ? 'error killing terminating pod: ' : '';
    await stop(pod, runningPodOf(status), grace, whatFailed);
    probes.removePod(pod);
    const stopped = await inspectNow(pod.metadata.uid);
    const alive = stopped.containers.filter(({ state }) => state === 'running').map(({ id }) => id);
    if (alive.length > 0) {
      throw new Error(
        `detected running containers after a successful KillPod, CRI violation: [${alive.join(' ')}]`,
      );
    }
    // A stopped sandbox has no addresses (preserveDataFromBeforeStopping).
    publish(pod, generate(pod, { ...stopped, ips: status.ips }, true), 'stopped');
  };

  const terminateRuntimePod = (listed: ListedPod): Promise<void> => stop(skeletonOf(listed), listed, 1);

  const finishPod: PodSyncer['finishPod'] = async (pod, status, before) => {
    await volumes.tearDown(pod.metadata.uid);
    const shown = generate(pod, status, true);
    publish(pod, shown, 'stopped');
    const started = pod.spec.initContainers.length === 0 || hasRun(pod, before);
    publish(pod, endContainers(pod, shown, started), 'last');
  };

  return { syncPod, terminatePod, terminateRuntimePod, finishPod };
}

/**
 * hasPodInitialized (status_manager.go): uses the API's status from when the worker got the pod; none for static pods.
 */
function hasRun({ source, spec }: Pod, before: PodApiStatus | undefined): boolean {
  if (source === 'file' || before === undefined) return false;
  const { containerStatuses, initContainerStatuses } = before;
  if (containerStatuses.some(({ state, lastState }) => state.kind !== 'waiting' || lastState !== undefined))
    return true;
  const last = initContainerStatuses.at(-1);
  if (spec.initContainers.at(-1)?.restartPolicy === 'Always')
    return last?.state.kind === 'running' && last.started;
  return [last?.state, last?.lastState].some((state) => state?.kind === 'terminated' && state.exitCode === 0);
}
