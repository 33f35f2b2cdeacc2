import { shouldBeRestarted, verdictOnExit } from '../decisions/restart.js';
import { decideSandbox } from '../decisions/sandbox-decision.js';
import type { KubeletOptions } from '../kubelet-options.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { Resizing } from '../resize/resizing.js';
import { generateStatus, refreshReadiness, type StatusInput, withSandbox } from '../status/generate.js';
import { normalizeStatus } from '../status/normalize.js';
import { isLegalTransition } from '../status/transition.js';
import type { ProbeManager, ReasonCache, Recorder } from '../types/ports.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import { createDeadlines } from './deadlines.js';
import type { LocalStorage } from './local-storage.js';
import { createStatusStore, type Stage, type StatusStore, type StatusStoreOptions } from './status-store.js';

export interface PodStatuses extends StatusStore {
  /** `terminal`: all containers have stopped permanently. */
  generate(pod: Pod, status: RuntimePodStatus, terminal: boolean): PodApiStatus;
  publish(pod: Pod, status: PodApiStatus, stage?: Stage): void;
  /** Publishes PodReadyToStartContainers before the sync's own status. */
  sandboxReady(pod: Pod): void;
}

export interface PodStatusesOptions
  extends Pick<KubeletOptions, 'clock' | 'version' | 'statusSink' | 'hostIp'> {
  readonly signal: AbortSignal;
  readonly recorder: Recorder;
  readonly wanted: StatusStoreOptions['wanted'];
  readonly reasons: ReasonCache;
  readonly runtimeName: () => string;
  readonly remind: (uid: string, at: bigint) => void;
  readonly localStorage: LocalStorage;
  readonly probes: Pick<ProbeManager, 'updateStatus'>;
  readonly resizing: Pick<Resizing, 'conditions' | 'published'>;
  /** Resources of a container last sent to the runtime. */
  readonly actuated: (uid: string, container: string) => ReturnType<StatusInput['actuated']>;
}

export function createPodStatuses(options: PodStatusesOptions): PodStatuses {
  const { clock, version, statusSink, signal, reasons, probes, resizing, localStorage } = options;
  const store = createStatusStore({
    clock,
    wanted: options.wanted,
    sink: statusSink,
    signal,
    refresh: (pod, status) => refreshReadiness(pod, status, clock.now()),
    mayFollow: (pod, before, status) => isLegalTransition(pod, before, status, version),
    normalize: normalizeStatus,
  });
  const deadlines = createDeadlines({
    clock,
    recorder: options.recorder,
    startTime: ({ metadata, status }) => (store.get(metadata.uid) ?? status)?.startTime,
    remind: options.remind,
  });
  const publish = (pod: Pod, status: PodApiStatus, stage?: Stage): void => {
    const before = store.get(pod.metadata.uid);
    store.set(pod, status, stage);
    deadlines.watch(pod);
    localStorage.watch(pod);
    resizing.published(pod, before, status);
  };
  return {
    ...store,
    publish,
    generate: (pod, runtime, terminal) => {
      const { uid } = pod.metadata;
      return generateStatus({
        pod,
        runtime,
        previous: store.get(uid) ?? pod.status,
        reasons,
        version,
        runtimeName: options.runtimeName(),
        hostIp: options.hostIp ?? '',
        now: clock.now(),
        terminal,
        resizing: resizing.conditions(uid, terminal),
        actuated: ({ name }) => options.actuated(uid, name),
        evicted: localStorage.evicted(pod) ?? deadlines.evict(pod),
        sandboxProblem: decideSandbox(pod, runtime).problem,
        willRestart: (container) => shouldBeRestarted(pod, container, runtime, version),
        restartsOn: (container, code) => verdictOnExit(pod, container, code, version) !== 'stay',
        probe: (shown) => probes.updateStatus(pod, shown),
      });
    },
    // From 1.36 on the condition becomes true before images are pulled.
    sandboxReady: (pod) => {
      const shown = store.get(pod.metadata.uid);
      if (version.minor >= 36 && shown !== undefined) publish(pod, withSandbox(shown, clock.now()));
    },
  };
}
