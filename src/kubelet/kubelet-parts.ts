import { createRuntimeClient, type RuntimeClient } from './client/client.js';
import { POD_UID } from './client/labels.js';
import { inspectionOf } from './client/pod-status.js';
import type { KubeletFiles } from './disk/files.js';
import { createRecorder } from './events/recorder.js';
import type { KubeletOptions } from './kubelet-options.js';
import type { Pod } from './kubernetes/pod.js';
import type { PodApiStatus } from './kubernetes/pod-status.js';
import { createNodeStatus } from './node/node-status.js';
import { createPlegs } from './pleg/plegs.js';
import { createProbeManager, type ProbeManagerOptions } from './probes/manager.js';
import { createResizing, type ResizingOptions } from './resize/resizing.js';
import { createResizeCheckpoints } from './resources/resource-record.js';
import { createRuntimeContext } from './runtime-context.js';
import { createHandlers } from './sync/handlers.js';
import { createLocalStorage, type LocalStorageOptions } from './sync/local-storage.js';
import { createSyncLoop } from './sync/loop.js';
import { createPodStatuses, type PodStatusesOptions } from './sync/pod-statuses.js';
import { createPodSyncer } from './sync/pod-syncer.js';
import { createReasonCache } from './sync/reason-cache.js';
import { createRuntimeState } from './sync/runtime-state.js';
import { createWorkQueue } from './sync/work-queue.js';
import { createPodWorkers } from './sync/workers.js';
import type { Problem } from './types/reports.js';

interface PodPartsOptions
  extends Pick<ProbeManagerOptions, 'recorder' | 'signal' | 'update'>,
    Pick<ResizingOptions, 'checkpoints' | 'activePods' | 'sync'>,
    Pick<PodStatusesOptions, 'reasons' | 'runtimeName' | 'remind'>,
    Pick<LocalStorageOptions, 'kill' | 'log'> {
  readonly client: RuntimeClient;
  readonly pods: ReadonlyMap<string, Pod>;
  readonly isSynced: (pod: Pod) => boolean;
}

/** kubelet.go rejectPod. */
const rejectedStatus = (reason: string, message: string): PodApiStatus => ({
  phase: 'Failed',
  reason,
  message: `Pod was rejected: ${message}`,
  conditions: [],
  podIPs: [],
  startTime: undefined,
  initContainerStatuses: [],
  containerStatuses: [],
});

const clientOf = ({ cri, config, version }: KubeletOptions, signal: AbortSignal): RuntimeClient =>
  createRuntimeClient({
    cri,
    requestTimeout: config.runtimeRequestTimeout,
    streamLists: version.gates.CRIListStreaming,
    signal,
  });

/** The writable layers and logs of a pod's running containers. */
async function containersStorage({ metadata }: Pod, client: RuntimeClient, files: KubeletFiles) {
  const stats = await client.containerStats({ labelSelector: { [POD_UID]: metadata.uid } });
  return Promise.all(
    stats.map(async ({ name, layer }) => ({ name, bytes: layer + (await files.logUsage(metadata, name)) })),
  );
}

interface ProcessContext {
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** Scheme of the runtime's container ids; empty before the first Version reply. */
  readonly runtimeName: () => string;
}

export function createParts(options: KubeletOptions, { signal, log, runtimeName }: ProcessContext) {
  const { clock, random, version, config, files, statusSink } = options;
  const client = clientOf(options, signal);
  const recorder = createRecorder(clock, (event) => {
    if (!signal.aborted) options.eventSink?.event(event);
  });
  const pods = new Map<string, Pod>();
  const checkpoints = options.checkpoints ?? createResizeCheckpoints();
  const { actuated } = checkpoints;
  const reasons = createReasonCache();
  const inspection = inspectionOf(client, files, version);

  const { cache, channel, plegs } = createPlegs({
    ...{ clock, client, version, inspection },
    random: random.fork('pleg'),
    metrics: options.metrics,
    wake: () => loop.wake(),
    log,
    report: options.onPleg,
  });
  const state = createRuntimeState({ clock, client, plegProblems: plegs.problems, log });
  const queue = createWorkQueue(clock, () => loop.workChanged());
  const { probes, resizing, statuses } = createPodParts(options, {
    ...{ client, recorder, signal, runtimeName, pods, checkpoints, reasons },
    remind: queue.remind,
    log,
    isSynced: ({ metadata }) => workers.state(metadata.uid) === 'sync',
    kill: (pod, grace) => {
      workers.kill(pod, grace);
      workers.begin();
    },
    update: (update) => loop.probe(update),
    activePods: (other) => handlers.activePods(other),
    sync: (pod) => workers.update(pod),
  });
  const runtime = createRuntimeContext(options, {
    ...{ client, recorder, signal, runtimeName, actuated },
    reinspect: plegs.inspectAgain,
    probeResult: probes.result,
  });
  const workers = createPodWorkers({
    ...{ clock, cache, queue, recorder, version, log },
    random: random.fork('workers'),
    syncFrequency: config.syncFrequency,
    finished: (pod) => {
      if (signal.aborted) return;
      statusSink?.finished?.(pod);
      resizing.finished();
    },
    allocated: resizing.allocated,
    shown: statuses.returned,
    requestRelist: plegs.requestRelist,
    ending: probes.cancel,
    syncer: createPodSyncer({
      ...{ runtime, inspection, reasons, probes, statuses, resizing },
      isTerminating: (uid) => (workers.state(uid) ?? 'sync') !== 'sync',
      networkErrors: state.networkErrors,
      resync: (pod) => workers.update(pod),
    }),
  });
  const handlers = createHandlers({
    ...{ runtime, pods, workers, statuses, probes, cache, log, resizing },
    reject: (pod, { reason, message }) => {
      recorder.event(pod, 'Warning', reason, message);
      statuses.set(pod, rejectedStatus(reason, message), 'stopped');
      statusSink?.finished?.(pod);
    },
    ...(options.orphanedPods && { orphanedPods: options.orphanedPods }),
  });
  const { runtimeErrors } = state;
  const loop = createSyncLoop({
    clock,
    random: random.fork('probe-results'),
    channel,
    queue,
    runtimeErrors,
    log,
    handlers,
  });
  const node = createReadiness(options, () => [...state.runtimeErrors(), ...state.networkErrors()]);

  return {
    client,
    pods,
    plegs,
    state,
    queue,
    probes,
    resizing,
    statuses,
    runtime,
    workers,
    handlers,
    loop,
    node,
  };
}

function createPodParts(options: KubeletOptions, given: PodPartsOptions) {
  const { clock, network, random, version, files } = options;
  const { client, recorder, signal, pods, checkpoints } = given;
  const probes = createProbeManager({
    ...{ clock, network, client, recorder, version, signal },
    verdict: options.verdict,
    random: random.fork('probes'),
    status: (uid) => statuses.get(uid),
    onProbe: options.onProbe,
    update: given.update,
  });
  const resizing = createResizing({
    ...{ clock, version, recorder, checkpoints },
    node: options.node,
    podOf: (uid) => pods.get(uid),
    statusOf: (uid) => statuses.get(uid),
    activePods: given.activePods,
    sync: given.sync,
  });
  const statuses = createPodStatuses({
    ...options,
    ...{ signal, recorder, probes, resizing },
    wanted: (uid) => pods.get(uid),
    reasons: given.reasons,
    runtimeName: given.runtimeName,
    remind: given.remind,
    localStorage: createLocalStorage({
      ...{ clock, recorder, signal, log: given.log, kill: given.kill },
      usage: files.usage,
      containers: (pod) => containersStorage(pod, client, files),
      pods: () => [...pods.values()].filter(given.isSynced),
    }),
    actuated: checkpoints.actuated.get,
  });
  return { probes, resizing, statuses };
}

function createReadiness(options: KubeletOptions, errors: () => readonly Problem[]) {
  const { clock, random, version, config } = options;
  return createNodeStatus({
    clock,
    random: random.fork('node'),
    minor: version.minor,
    updateFrequency: config.nodeStatusUpdateFrequency,
    reportFrequency: config.nodeStatusReportFrequency,
    leaseDurationSeconds: config.nodeLeaseDurationSeconds,
    errors,
    changed: (ready) => options.onNode?.(ready),
    report: (ready) => options.onHeartbeat?.(ready),
    renew: () => options.onHeartbeat?.(undefined),
  });
}
