import { emptyStatus } from '../pleg/cache.js';
import type { RuntimeContext } from '../runtime/context.js';
import { killPod } from '../runtime/kill.js';
import { getPodStatus, type PodStatusOptions } from '../runtime/pod-status.js';
import { type ListedPod, listPods } from '../runtime/pods.js';
import { verdictOnExit } from '../runtime/restart.js';
import { SyncResults } from '../runtime/results.js';
import { syncRuntimePod } from '../runtime/sync-pod.js';
import type { Pod, PodApiStatus, ProbeManager, RuntimePodStatus } from '../types.js';
import type { WritableReasonCache } from './reason-cache.js';
import { skeletonOf } from './skeleton-pod.js';
import type { PodSyncer } from './workers.js';

export interface PodSyncerOptions {
  readonly runtime: RuntimeContext;
  readonly inspection: PodStatusOptions;
  readonly reasons: WritableReasonCache;
  readonly probes: ProbeManager;
  readonly generate: (pod: Pod, status: RuntimePodStatus, phase: SyncPhase) => PodApiStatus;
  readonly publish: (pod: Pod, status: PodApiStatus) => void;
  readonly networkErrors: () => readonly string[];
  /** Design ≥ 1.36: looks at the pod at once after a sync that did something. */
  readonly requestRelist: (uid: string) => void;
  /** Asks for another sync now. */
  readonly resync: (pod: Pod) => void;
}

export interface SyncPhase {
  /** Everything has stopped for good. */
  readonly terminal: boolean;
  /** KEP-5532: all containers are being restarted. */
  readonly restartingAll: boolean;
}

const ENDED: SyncPhase = { terminal: true, restartingAll: false };

/** Kubelet.SyncPod, SyncTerminatingPod and SyncTerminatedPod (kubelet.go, §2.1 and §2.7). */
export function createPodSyncer(options: PodSyncerOptions): PodSyncer {
  const { runtime, inspection, reasons, probes, generate, publish } = options;
  const { recorder, client, profile } = runtime;
  /** Pods on their way through RestartAllContainers. */
  const restarting = new Set<string>();

  const restartsAll = (pod: Pod, status: RuntimePodStatus): boolean => {
    if (!profile.gates.RestartAllContainersOnContainerExits) return false;
    const { uid } = pod.metadata;
    const asked = [...pod.spec.initContainers, ...pod.spec.containers].some((container) => {
      const newest = status.containers.find(({ name }) => name === container.name);
      return (
        newest?.state === 'exited' &&
        verdictOnExit(pod, container, newest.exitCode, profile) === 'restart-all'
      );
    });
    if (asked) restarting.add(uid);
    else if (status.containers.length === 0) restarting.delete(uid);
    return restarting.has(uid);
  };

  const syncPod = async (pod: Pod, status: RuntimePodStatus): Promise<boolean> => {
    const { uid } = pod.metadata;
    const restartingAll = restartsAll(pod, status);
    const shown = generate(pod, status, { terminal: false, restartingAll });
    publish(pod, shown);
    if (shown.phase === 'Succeeded' || shown.phase === 'Failed') return true;
    const [network] = options.networkErrors();
    if (network !== undefined && !pod.spec.hostNetwork) {
      const message = `network is not ready: ${network}`;
      recorder.event(pod, 'Warning', 'NetworkNotReady', message);
      throw new Error(message);
    }
    probes.addPod(pod);
    const results = await syncRuntimePod(runtime, { pod, status, restartingAll });
    reasons.update(uid, results);
    if (results.steps.some(({ action, failure }) => action === 'RemoveContainer' && failure === undefined)) {
      options.resync(pod);
    }
    const error = results.error();
    if (error !== undefined) throw error;
    if (results.steps.length > 0) options.requestRelist(uid);
    return false;
  };

  const stop = async (pod: Pod, status: RuntimePodStatus, graceOverride: number): Promise<void> => {
    const results = new SyncResults();
    await killPod(runtime, { pod, status, graceOverride, results });
    const error = results.error();
    if (error === undefined) return;
    recorder.event(pod, 'Warning', 'FailedKillPod', `error killing pod: ${error.message}`);
    throw error;
  };

  /** Asks the runtime anew: a StopContainer that returned too early shows here. */
  const inspectNow = async (uid: string): Promise<RuntimePodStatus> => {
    const listed = (await listPods(client, { uid })).get(uid);
    return listed === undefined ? emptyStatus(uid) : getPodStatus(listed, runtime.clock.now(), inspection);
  };

  const terminatePod = async (pod: Pod, status: RuntimePodStatus, grace: number): Promise<void> => {
    publish(pod, generate(pod, status, { terminal: false, restartingAll: false }));
    probes.stopLivenessAndStartup(pod);
    await stop(pod, status, grace);
    probes.removePod(pod);
    const stopped = await inspectNow(pod.metadata.uid);
    const alive = stopped.containers.filter(({ state }) => state === 'running').map(({ id }) => id);
    if (alive.length > 0) {
      throw new Error(
        `detected running containers after a successful KillPod, CRI violation: [${alive.join(' ')}]`,
      );
    }
    publish(pod, generate(pod, stopped, ENDED));
  };

  const terminateRuntimePod = async (listed: ListedPod): Promise<void> => {
    const status = await getPodStatus(listed, runtime.clock.now(), inspection);
    const results = new SyncResults();
    await killPod(runtime, { pod: skeletonOf(listed), status, graceOverride: 1, results });
    const error = results.error();
    if (error !== undefined) throw error;
  };

  const finishPod = async (pod: Pod, status: RuntimePodStatus): Promise<void> => {
    publish(pod, generate(pod, status, ENDED));
    reasons.removePod(pod.metadata.uid);
    restarting.delete(pod.metadata.uid);
  };

  return { syncPod, terminatePod, terminateRuntimePod, finishPod };
}
