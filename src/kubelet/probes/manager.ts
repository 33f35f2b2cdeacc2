import type { Clock } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { RuntimeClient } from '../client/client.js';
import { allContainersRestart, isSidecar, verdictOnExit } from '../decisions/restart.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { ContainerApiStatus, PodApiStatus } from '../kubernetes/pod-status.js';
import { keepsStarted } from '../status/container-statuses.js';
import type { ProbeKind, ProbeManager, ProbeResult, ProbeUpdate, Recorder, Verdict } from '../types/ports.js';
import type { KubeletVersion } from '../types/version.js';
import { createProber, type ProberOptions } from './prober.js';
import { isOlderThanKubelet, type ProbeWorker, startWorker } from './worker.js';

export interface ProbeManagerOptions extends Pick<ProberOptions, 'network' | 'onProbe' | 'verdict'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly client: Pick<RuntimeClient, 'execSync'>;
  readonly recorder: Recorder;
  readonly version: KubeletVersion;
  readonly signal: AbortSignal;
  readonly status: (uid: string) => PodApiStatus | undefined;
  readonly update: (update: ProbeUpdate) => void;
}

interface Worker {
  readonly uid: string;
  readonly kind: ProbeKind;
  readonly worker: ProbeWorker;
  readonly cancel: () => void;
}

const KINDS: readonly ProbeKind[] = ['startup', 'readiness', 'liveness'];

export function createProbeManager(options: ProbeManagerOptions): ProbeManager {
  const { clock, version } = options;
  const kubeletStart = { elapsed: clock.elapsed(), time: clock.now() };
  const prober = createProber(options);
  const workers = new Map<string, Worker>();
  const { results, resultsOf } = createResults(options.update);
  const keepsState = keepsStarted(version);

  const keyOf = (uid: string, container: string, kind: ProbeKind) => `${uid}/${container}/${kind}`;
  const workerOf = (pod: Pod, container: string, kind: ProbeKind) =>
    workers.get(keyOf(pod.metadata.uid, container, kind))?.worker;

  const add = (pod: Pod, container: ContainerSpec, kind: ProbeKind): boolean => {
    const probe = container[`${kind}Probe`];
    const { uid } = pod.metadata;
    const key = keyOf(uid, container.name, kind);
    if (workers.has(key)) return false;
    if (probe === undefined || options.signal.aborted) return true;
    const context = new AbortController();
    const worker = startWorker({
      clock,
      random: options.random.fork(key),
      prober,
      pod,
      container,
      kind,
      probe,
      kubeletStart,
      triggerRestartsPeriod: version.minor >= 32,
      keepsState,
      status: () => options.status(uid),
      results: resultsOf(uid, kind),
      signal: options.signal,
      cancelled: context.signal,
      willRestart: (exitCode, status) => outlives(pod, container, exitCode, status, version),
    });
    workers.set(key, { uid, kind, worker, cancel: () => context.abort() });
    void worker.done.then(() => workers.delete(key));
    return true;
  };

  const stop = (which: (worker: Worker) => boolean): void => {
    for (const worker of workers.values()) if (which(worker)) worker.worker.stop();
  };
  const end = () => {
    stop(() => true);
    for (const { cancel } of workers.values()) cancel();
  };
  options.signal.addEventListener('abort', end, { once: true });

  const shown = createProbedStatus({
    results,
    workerOf,
    keepsState,
    kubeletStart: kubeletStart.time,
    // The object of a static pod never has a status.
    isReadyInApi: (pod) => pod.source !== 'file' && isReady(options.status(pod.metadata.uid) ?? pod.status),
    verdict: options.verdict,
  });

  return {
    /** An ended worker that follows a running one of its container (up to 1.36: of any container) does not restart. */
    addPod: (pod) => {
      const sidecars = pod.spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
      for (const container of [...pod.spec.containers, ...sidecars]) {
        const hasAll = KINDS.every((kind) => add(pod, container, kind));
        if (!hasAll && version.minor < 37) return;
      }
    },
    /** Regular containers only: sidecars end later and are probed until all have ended. */
    stopLivenessAndStartup: ({ metadata: { uid }, spec }) => {
      for (const { name } of spec.containers) {
        workers.get(keyOf(uid, name, 'liveness'))?.worker.stop();
        workers.get(keyOf(uid, name, 'startup'))?.worker.stop();
      }
    },
    // Only in 1.35 and 1.36 does the pod's context cancel the workers.
    cancel: (uid) => {
      if (version.minor < 35 || version.minor > 36) return;
      for (const worker of workers.values()) if (worker.uid === uid) worker.cancel();
    },
    removePod: ({ metadata: { uid } }) => stop((worker) => worker.uid === uid),
    cleanUp: (wanted) => stop(({ uid }) => !wanted.has(uid)),
    result: (kind, containerId) => results[kind].get(containerId),
    updateStatus: (pod, status) => ({
      ...status,
      containerStatuses: status.containerStatuses.map((each) => shown.regular(pod, each)),
      initContainerStatuses: status.initContainerStatuses.map((each) => shown.init(pod, each)),
    }),
  };
}

const isReady = (status: PodApiStatus | undefined): boolean =>
  status?.conditions.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;

/** The latest results by container id (results_manager.go). `update` gets each change. */
function createResults(update: (update: ProbeUpdate) => void) {
  const results: Record<ProbeKind, Map<string, ProbeResult>> = {
    liveness: new Map(),
    readiness: new Map(),
    startup: new Map(),
  };
  return {
    results,
    resultsOf: (uid: string, kind: ProbeKind) => ({
      set: (containerId: string, result: ProbeResult) => {
        if (results[kind].get(containerId) === result) return;
        results[kind].set(containerId, result);
        update({ kind, uid, containerId, result });
      },
      remove: (containerId: string) => {
        results[kind].delete(containerId);
      },
    }),
  };
}

interface ProbedStatusOptions {
  readonly results: Readonly<Record<ProbeKind, ReadonlyMap<string, ProbeResult>>>;
  readonly workerOf: (pod: Pod, container: string, kind: ProbeKind) => ProbeWorker | undefined;
  /** Whether a container stays started across a kubelet restart. */
  readonly keepsState: boolean;
  readonly kubeletStart: bigint;
  readonly isReadyInApi: (pod: Pod) => boolean;
  readonly verdict: Verdict | undefined;
}

/** UpdatePodStatus: sets started and ready of containers from probe results. */
function createProbedStatus(options: ProbedStatusOptions) {
  const { results, workerOf, keepsState, kubeletStart, isReadyInApi, verdict } = options;
  const isStarted = (pod: Pod, shown: ContainerApiStatus, id: string): boolean => {
    if (shown.state.kind !== 'running') return false;
    const result = results.startup.get(id);
    if (result !== undefined) return result === 'success';
    return (keepsState && shown.started) || workerOf(pod, shown.name, 'startup') === undefined;
  };

  /**
   * A container that waits for its first readiness probe is probed immediately. One that ran before the kubelet started
   * is as ready as its pod is in the API until then (setReadyStateOnKubeletRestart, KEP-4781).
   */
  const isReady = (pod: Pod, shown: ContainerApiStatus, spec: ContainerSpec | undefined, id: string) => {
    if (shown.state.kind !== 'running') return false;
    if (results.readiness.get(id) === 'success') return true;
    const worker = workerOf(pod, shown.name, 'readiness');
    worker?.trigger();
    const isReady =
      worker === undefined && !(spec !== undefined && verdict?.(pod, spec, 'readiness') === 'failure');
    if (!keepsState || !spec?.readinessProbe || !isOlderThanKubelet(shown, kubeletStart)) return isReady;
    return (isReady || !results.readiness.has(id)) && isReadyInApi(pod);
  };

  const fill = (pod: Pod, shown: ContainerApiStatus, specs: readonly ContainerSpec[]): ContainerApiStatus => {
    const id = shown.containerID.replace(/^.*:\/\//, '');
    const spec = specs.find(({ name }) => name === shown.name);
    const started = isStarted(pod, shown, id);
    return { ...shown, started, ready: started && isReady(pod, shown, spec, id) };
  };

  /** Ready once it succeeded, as long as the API shows the same instance. Sidecars are like regular containers. */
  const fillInit = (pod: Pod, shown: ContainerApiStatus): ContainerApiStatus => {
    const { initContainers } = pod.spec;
    const spec = initContainers.find(({ name }) => name === shown.name);
    if (spec?.restartPolicy === 'Always') return fill(pod, shown, initContainers);
    const done = shown.state.kind === 'terminated' && shown.state.exitCode === 0;
    return { ...shown, ready: shown.ready || done, started: shown.state.kind === 'running' };
  };

  return {
    regular: (pod: Pod, shown: ContainerApiStatus) => fill(pod, shown, pod.spec.containers),
    init: fillInit,
  };
}

/**
 * Whether a worker continues after its container ended (worker.go): decided by the pod's policy, from 1.33 on also by a
 * sidecar's, and from 1.35 on by each container's.
 */
function outlives(
  pod: Pod,
  container: ContainerSpec,
  exitCode: number,
  status: PodApiStatus,
  version: KubeletVersion,
): boolean {
  const { minor, gates } = version;
  const byPod = pod.spec.restartPolicy !== 'Never';
  if (minor < 33) return byPod;
  if (!gates.ContainerRestartRules) return byPod || isSidecar(container);
  // In 1.34 the gate's condition is inverted (has the container ended?), so the worker always continues.
  if (minor === 34) return true;
  return (
    verdictOnExit(pod, container, exitCode, version) !== 'stay' ||
    allContainersRestart(pod, undefined, status, version)
  );
}
