import { setMaxListeners } from 'node:events';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import { rejectedStatus } from './admission/rejected-status.js';
import { crashLoopLimits, createCrashLoopBackOff } from './backoff/crash-loop.js';
import { hashContainer } from './backoff/keys.js';
import { checkRuntime } from './client/check-runtime.js';
import { createRuntimeClient } from './client/client.js';
import { shouldBeRestarted, verdictOnExit } from './decisions/restart.js';
import { decideSandbox } from './decisions/sandbox-decision.js';
import { createRecorder } from './events/recorder.js';
import { createImageManager } from './images/image-manager.js';
import { imageUser } from './images/image-user.js';
import { noObjects } from './kube-objects.js';
import type { KubeletOptions } from './kubelet-options.js';
import { createNodeStatus } from './node/node-status.js';
import { createPlegs } from './pleg/plegs.js';
import { createHookRequest } from './probes/hook-request.js';
import { createProbeManager } from './probes/manager.js';
import { createResizing } from './resize/resizing.js';
import { createResizeCheckpoints } from './resources/resource-record.js';
import type { RuntimeContext } from './runtime/context.js';
import { collectGarbage } from './runtime/gc.js';
import { rotateLogs } from './runtime/log-manager.js';
import { generateStatus, refreshReadiness, withSandbox } from './status/generate.js';
import { normalizeStatus } from './status/normalize.js';
import { isLegalTransition } from './status/transition.js';
import { createDeadlines } from './sync/deadlines.js';
import { createHandlers } from './sync/handlers.js';
import { createSyncLoop } from './sync/loop.js';
import { startPeriodic } from './sync/periodic.js';
import { createPodSyncer } from './sync/pod-syncer.js';
import { createReasonCache } from './sync/reason-cache.js';
import { createRuntimeState, STATUS_PERIOD } from './sync/runtime-state.js';
import { createStatusStore } from './sync/status-store.js';
import { createWorkQueue } from './sync/work-queue.js';
import { createPodWorkers } from './sync/workers.js';
import type { RuntimePodStatus } from './types/runtime-status.js';

/** Public interface of a kubelet. */
export interface Kubelet {
  /** Checks the runtime's version and starts all loops. Rejects when the runtime does not implement CRI v1. */
  start(): Promise<void>;
  /** Stops immediately, like SIGKILL: aborts all calls. Pods keep running. */
  stop(): void;
  /** The pods to run, with their status. */
  pods(): readonly { readonly pod: Pod; readonly status: PodApiStatus | undefined }[];
  /** No pod is being synced. */
  readonly isIdle: boolean;
  /** Does at once what it would do in the next minutes: syncs all pods and collects dead containers. */
  syncNow(): Promise<void>;
  /** Why the sync loop counts as stuck; undefined while it makes progress (health check `syncloop`). */
  syncLoopHealth(): string | undefined;
}

/**
 * In ms: interval of the garbage collection of dead containers, and limit for one iteration of the sync loop
 * (kubelet.go).
 */
const CONTAINER_GC_PERIOD = 60_000;
const SYNC_LOOP_LIMIT = 5 * 60_000;

/** The thin kubelet: a CRI client that drives a runtime like the kubelet's container management. */
export function createKubelet(options: KubeletOptions): Kubelet {
  const { clock, random, profile, config, files, metrics, objects = noObjects } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  setMaxListeners(0, signal);
  const log = (message: string) => {
    if (!signal.aborted) options.log?.(message);
  };

  const client = createRuntimeClient({
    cri: options.cri,
    requestTimeout: config.runtimeRequestTimeout,
    streamLists: profile.gates.CRIListStreaming,
    signal,
  });
  const recorder = createRecorder(clock, (event) => {
    if (!signal.aborted) options.eventSink?.event(event);
  });
  const pods = new Map<string, Pod>();
  const checkpoints = options.checkpoints ?? createResizeCheckpoints();
  const { actuated } = checkpoints;
  const reasons = createReasonCache();
  const crashBackOff = createCrashLoopBackOff(
    clock,
    crashLoopLimits(profile.gates, config.maxContainerRestartPeriod),
  );
  const inspection = { client, files, believeSandboxAnswer: profile.gates.EventedPLEG };
  const { cache, channel, plegs } = createPlegs({
    clock,
    random: random.fork('pleg'),
    client,
    profile,
    metrics,
    inspection,
    wake: () => loop.wake(),
    log,
    report: options.onPleg,
  });
  const state = createRuntimeState({ clock, client, plegProblems: plegs.problems, log });
  const queue = createWorkQueue(clock, () => loop.workChanged());

  const statuses = createStatusStore({
    isWanted: (uid) => pods.has(uid),
    sink: options.statusSink,
    signal,
    refresh: (pod, status) => refreshReadiness(pod, status, clock.now()),
    mayFollow: (pod, before, status) => isLegalTransition(pod, before, status, profile),
    normalize: normalizeStatus,
  });
  const deadlines = createDeadlines({
    clock,
    recorder,
    startTime: ({ metadata, status }) => (statuses.get(metadata.uid) ?? status)?.startTime,
    remind: (uid, at) => queue.remind(uid, at),
  });
  const probes = createProbeManager({
    clock,
    random: random.fork('probes'),
    client,
    recorder,
    profile,
    signal,
    status: (uid) => statuses.get(uid),
    onProbe: options.onProbe,
    update: (update) => loop.probe(update),
  });
  let runtimeName = '';
  const runtime: RuntimeContext = {
    clock,
    client,
    runtimeName: () => runtimeName,
    files,
    objects,
    hostIp: options.hostIp ?? '',
    allocatable: options.allocatable ?? {},
    images: createImageManager({
      cri: options.cri,
      clock,
      recorder,
      profile,
      objects,
      requestTimeout: config.runtimeRequestTimeout,
      parallelPulls: config.parallelPulls,
      signal,
    }),
    imageUser: ({ image }) =>
      imageUser(options.cri, image, { signal, timeout: config.runtimeRequestTimeout }),
    recorder,
    profile,
    crashBackOff,
    actuated,
    reinspect: (uid) => plegs.inspectAgain(uid),
    backOffDecided: options.onBackOff,
    hashOf: (container) => hashContainer(container, profile),
    probeResult: probes.result,
    hookRequest: createHookRequest(clock, recorder, profile.version),
  };

  const resizing = createResizing({
    clock,
    profile,
    recorder,
    checkpoints,
    node: options.node,
    podOf: (uid) => pods.get(uid),
    statusOf: (uid) => statuses.get(uid),
    activePods: (other) => handlers.activePods(other),
    sync: (pod) => workers.update(pod),
  });

  const generate = (pod: Pod, status: RuntimePodStatus, terminal: boolean): PodApiStatus => {
    const { uid } = pod.metadata;
    return generateStatus({
      pod,
      runtime: status,
      previous: statuses.get(uid) ?? pod.status,
      reasons,
      profile,
      runtimeName,
      hostIp: options.hostIp ?? '',
      now: clock.now(),
      terminal,
      resizing: resizing.conditions(uid, terminal),
      actuated: ({ name }) => actuated.get(uid, name),
      evicted: deadlines.evict(pod),
      sandboxChanged: decideSandbox(pod, status).changed,
      willRestart: (container) => shouldBeRestarted(pod, container, status, profile),
      restartsOn: (container, code) => verdictOnExit(pod, container, code, profile) !== 'stay',
      probe: (shown) => probes.updateStatus(pod, shown),
    });
  };

  const publish = (pod: Pod, status: PodApiStatus, last = false): void => {
    const before = statuses.get(pod.metadata.uid);
    statuses.set(pod, status, last);
    deadlines.watch(pod);
    resizing.published(pod, before, status);
  };

  const workers = createPodWorkers({
    clock,
    random: random.fork('workers'),
    cache,
    queue,
    recorder,
    profile,
    syncFrequency: config.syncFrequency,
    log,
    finished: (pod) => {
      if (signal.aborted) return;
      options.statusSink?.finished?.(pod);
      resizing.finished();
    },
    allocated: resizing.allocated,
    requestRelist: plegs.requestRelist,
    ending: (uid) => probes.cancel(uid),
    syncer: createPodSyncer({
      runtime,
      inspection,
      reasons,
      probes,
      generate,
      publish,
      // From 1.36 on the condition becomes true before images are pulled.
      sandboxReady: (pod) => {
        const shown = statuses.get(pod.metadata.uid);
        if (profile.minor < 36 || shown === undefined) return;
        publish(pod, withSandbox(shown, clock.now()));
      },
      resizing,
      isTerminating: (uid) => (workers.state(uid) ?? 'sync') !== 'sync',
      networkErrors: state.networkErrors,
      resync: (pod) => workers.update(pod),
    }),
  });

  const handlers = createHandlers({
    runtime,
    pods,
    workers,
    statuses,
    probes,
    cache,
    show: (pod) => {
      const shown = statuses.get(pod.metadata.uid);
      if (shown !== undefined) options.statusSink?.status(pod, shown);
    },
    log,
    resizing,
    reject: (pod, { reason, message }) => {
      recorder.event(pod, 'Warning', reason, message);
      statuses.set(pod, rejectedStatus(reason, message));
      options.statusSink?.finished?.(pod);
    },
    ...(options.orphanedPods && { orphanedPods: options.orphanedPods }),
  });
  const loop = createSyncLoop({
    clock,
    channel,
    queue,
    runtimeErrors: state.runtimeErrors,
    log,
    handlers,
  });

  const node = createNodeStatus({
    clock,
    random: random.fork('node'),
    minor: profile.minor,
    updateFrequency: config.nodeStatusUpdateFrequency,
    reportFrequency: config.nodeStatusReportFrequency,
    leaseDurationSeconds: config.nodeLeaseDurationSeconds,
    errors: () => [...state.runtimeErrors(), ...state.networkErrors()],
    changed: (ready) => options.onNode?.(ready),
    report: (ready) => options.onHeartbeat?.(ready),
    renew: () => options.onHeartbeat?.(undefined),
  });

  const periodic = { clock, signal, log };
  const rotation = {
    clock,
    client,
    files,
    maxSize: config.containerLogMaxSize,
    maxFiles: config.containerLogMaxFiles,
    log,
  };

  const collect = () => collectGarbage(runtime, handlers.isUnwanted);

  let endSource = () => {};
  return {
    start: async () => {
      runtimeName = await checkRuntime(client, clock);
      startPeriodic(periodic, STATUS_PERIOD, 'now', state.refresh);
      plegs.start();
      startPeriodic(periodic, CONTAINER_GC_PERIOD, 'now', collect);
      startPeriodic(periodic, config.containerLogMonitorInterval, 'later', () => rotateLogs(rotation));
      node.start();
      loop.start();
      endSource = options.podSource.start((wanted) => loop.config(wanted));
    },
    stop: () => {
      stopped.abort();
      endSource();
      plegs.stop();
      loop.stop();
      workers.stop();
      node.stop();
      probes.cleanUp(new Set());
      resizing.stop();
    },
    get isIdle() {
      return workers.isIdle;
    },
    syncNow: async () => {
      for (const uid of pods.keys()) if (workers.state(uid) !== undefined) queue.enqueue(uid, 0);
      await collect().catch((error: Error) => log(error.message));
    },
    pods: () => [...pods.values()].map((pod) => ({ pod, status: statuses.get(pod.metadata.uid) })),
    syncLoopHealth: () => {
      const age = clock.elapsed() - (loop.lastIteration ?? clock.elapsed());
      const limit = Math.max(2 * config.syncFrequency, SYNC_LOOP_LIMIT);
      return age <= limit ? undefined : 'sync Loop took longer than expected';
    },
  };
}
