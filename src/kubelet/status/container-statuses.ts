import { newestFirst } from '../client/list-pods.js';
import { isSidecar, statusOf } from '../decisions/restart.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { ContainerApiState, ContainerApiStatus, PodApiStatus } from '../kubernetes/pod-status.js';
import type { Resources } from '../kubernetes/resources.js';
import type { ReasonCache } from '../types/ports.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import type { KubeletVersion } from '../types/version.js';
import { RESTARTING_ALL } from './phase.js';
import { shownResources } from './shown-resources.js';

export interface ContainerStatusInput {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  readonly previous: readonly ContainerApiStatus[];
  readonly reasons: ReasonCache;
  /** Prefix of container ids, such as `containerd`. */
  readonly runtimeName: string;
  /** ShouldContainerBeRestarted. */
  readonly willRestart: (container: ContainerSpec) => boolean;
  /** ShouldAllContainersRestart: KEP-5532 is restarting all containers of the pod. */
  readonly restartingAll: boolean;
  readonly version: KubeletVersion;
  /** Resources last sent to the runtime. */
  readonly actuated: (container: ContainerSpec) => Resources | undefined;
}

type Mutable = { -readonly [K in keyof ContainerApiStatus]: ContainerApiStatus[K] };

/** Exit code when the exit was not observed. */
const LOST = 137;

export const allStatuses = (status: PodApiStatus | undefined): readonly ContainerApiStatus[] => [
  ...(status?.containerStatuses ?? []),
  ...(status?.initContainerStatuses ?? []),
  ...(status?.ephemeralContainerStatuses ?? []),
];

export type ContainerKind = 'init' | 'regular' | 'ephemeral';

function specsOf({ spec }: Pod, kind: ContainerKind): readonly ContainerSpec[] {
  if (kind === 'ephemeral') return spec.ephemeralContainers ?? [];
  return kind === 'init' ? spec.initContainers : spec.containers;
}

/**
 * convertToAPIContainerStatuses (kubelet_pods.go): the newest instance of a container is its state, the second newest
 * its last state; a failed start shows as waiting. Init containers follow the specification's order, others are sorted
 * by name.
 */
export function containerStatuses(input: ContainerStatusInput, kind: ContainerKind): ContainerApiStatus[] {
  const { previous } = input;
  const specs = specsOf(input.pod, kind);
  const before = new Map(previous.map((status) => [status.name, status]));
  const statuses = specs.map((spec) => {
    const old = before.get(spec.name);
    const instances = input.runtime.containers.filter((each) => each.name === spec.name);
    if (instances.length > 0) {
      // With the evented PLEG, a sandbox's reply has containers in any order.
      const status = fromInstances(input, spec, instances.toSorted(newestFirst), old);
      return failedToStart(input, spec, status, kind === 'init');
    }
    const status = withoutInstance(input, spec, old);
    return kind === 'init' && isPast(input, spec, status)
      ? { ...status, state: COMPLETED_UNSEEN }
      : failedToStart(input, spec, status, kind === 'init');
  });
  return kind === 'init' ? statuses : statuses.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fromInstances(
  { runtimeName, version, restartingAll, actuated }: ContainerStatusInput,
  spec: ContainerSpec,
  [newest, second]: readonly RuntimeContainerStatus[],
  old: ContainerApiStatus | undefined,
): Mutable {
  const latest = newest as RuntimeContainerStatus;
  const containerID = `${runtimeName}://${latest.id}`;
  const remembers = version.gates.RestartAllContainersOnContainerExits;
  const remembered = remembers ? lastStateOf(containerID, old) : undefined;
  const same = old?.containerID === containerID && old.state.kind === 'running' ? old : undefined;
  const convert = (instance: RuntimeContainerStatus) => stateOf(instance, old, runtimeName, restartingAll);
  return {
    name: latest.name,
    state: convert(latest),
    lastState: second === undefined ? remembered : convert(second),
    ready: false,
    // A new instance inherits this until its startup probe's first result.
    started: keepsStarted(version) && latest.state === 'running' && old?.started === true,
    restartCount: restartCountOf(latest, old, remembers),
    image: latest.image,
    imageID: latest.imageRef,
    containerID,
    ...(latest.user !== undefined && version.minor >= SHOWS_USER && { user: latest.user }),
    ...(version.resizes && shownResources({ spec, instance: latest, actuated: actuated(spec), old: same })),
  };
}

/** Since this minor version a status has the container's user (SupplementalGroupsPolicy, beta). */
const SHOWS_USER = 33;

/** RestartAllContainers removes the instance of the last state, so the API's last state stays (≥ 1.36). */
function lastStateOf(
  containerID: string,
  old: ContainerApiStatus | undefined,
): ContainerApiState | undefined {
  if (old?.state.kind === 'terminated' && old.containerID !== containerID) return old.state;
  return old?.lastState?.kind === 'terminated' ? old.lastState : undefined;
}

function restartCountOf(
  { state, restartCount }: RuntimeContainerStatus,
  old: ContainerApiStatus | undefined,
  remembers: boolean,
): number {
  if (old === undefined) return restartCount;
  if (state === 'unknown' && old.state.kind === 'running') return old.restartCount + 1;
  if (!remembers) return restartCount;
  const again = state === 'running' && old.state.kind === 'terminated' && old.restartCount >= restartCount;
  return again ? old.restartCount + 1 : Math.max(restartCount, old.restartCount);
}

function stateOf(
  container: RuntimeContainerStatus,
  old: ContainerApiStatus | undefined,
  runtimeName: string,
  restartingAll: boolean,
): ContainerApiState {
  const { state, exitCode, reason, message, startedAt, finishedAt } = container;
  if (state === 'running') return { kind: 'running', startedAt };
  if (state === 'exited') {
    const containerID = `${runtimeName}://${container.id}`;
    return { kind: 'terminated', exitCode, reason, message, startedAt, finishedAt, containerID };
  }
  if (state === 'unknown' && old?.state.kind === 'running') {
    return lost(restartingAll ? RESTARTING_ALL : STATUS_UNKNOWN);
  }
  return { kind: 'waiting', reason: '', message: '' };
}

/** The runtime has no instance: the container never started, or was removed. */
function withoutInstance(
  { pod, restartingAll }: ContainerStatusInput,
  spec: ContainerSpec,
  old: ContainerApiStatus | undefined,
): Mutable {
  const fresh: Mutable = {
    name: spec.name,
    state: { kind: 'waiting', reason: waitingReason(pod), message: '' },
    lastState: old?.lastState,
    ready: false,
    started: false,
    restartCount: old?.restartCount ?? 0,
    image: spec.image,
    imageID: '',
    containerID: '',
  };
  if (restartingAll && old !== undefined && old.state.kind !== 'waiting') {
    const reason = RESTARTING_ALL;
    const message = 'The container is removed because RestartAllContainers in place';
    return {
      ...(old.state.kind === 'terminated' ? old : fresh),
      state: { kind: 'waiting', reason, message },
      lastState: ended(reason, message, LOST),
      restartCount: old.restartCount + 1,
    };
  }
  if (old?.state.kind === 'terminated') return { ...old };
  if (old?.state.kind === 'running' && fresh.lastState?.kind !== 'terminated') {
    const message =
      'The container could not be located when the pod was deleted.  The container used to be Running';
    fresh.lastState = ended(STATUS_UNKNOWN, message, LOST);
    if (pod.metadata.deletionTimestamp === undefined) fresh.restartCount++;
  }
  return fresh;
}

/** A removed init container has succeeded if regular containers exist (≥ 1.36). A sidecar is created again. */
const isPast = (input: ContainerStatusInput, spec: ContainerSpec, { state }: ContainerApiStatus): boolean =>
  input.version.minor >= 36 && !isSidecar(spec) && state.kind === 'waiting' && hasRegularContainer(input);

const waitingReason = ({ spec }: Pod): string =>
  spec.initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';

/** HasAnyRegularContainerCreated. */
const hasRegularContainer = ({ pod, runtime }: ContainerStatusInput): boolean =>
  pod.spec.containers.some((spec) => {
    const newest = statusOf(runtime, spec.name);
    return newest !== undefined && newest.state !== 'unknown';
  });

function ended(reason: string, message: string, exitCode: number): ContainerApiState {
  return { kind: 'terminated', exitCode, reason, message, startedAt: 0n, finishedAt: 0n, containerID: '' };
}

const STATUS_UNKNOWN = 'ContainerStatusUnknown';

/** For a container whose exit was not observed. */
const lost = (reason: string): ContainerApiState =>
  ended(reason, 'The container could not be located when the pod was terminated', LOST);

const COMPLETED_UNSEEN = ended(
  'Completed',
  'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally',
  0,
);

/**
 * TerminatePod (status_manager.go): the final status of a pod. Containers without an observed exit count as failed:
 * regular containers once the pod was initialized, and init containers up to the last one that ran. All pods except
 * static pods end in a terminal phase, even if they never ran.
 */
export function endContainers(
  { source }: Pod,
  status: PodApiStatus,
  /** If false, regular containers that never ran stay unchanged. */
  initialized: boolean,
): PodApiStatus {
  const end = (container: ContainerApiStatus): ContainerApiStatus =>
    container.state.kind === 'terminated' ? container : { ...container, state: lost(STATUS_UNKNOWN) };
  const init = status.initContainerStatuses;
  const ran = init.findLastIndex(
    ({ state, lastState }) => state.kind !== 'waiting' || lastState?.kind === 'terminated',
  );
  return {
    ...status,
    phase: source === 'file' || status.phase === 'Succeeded' ? status.phase : 'Failed',
    containerStatuses: initialized ? status.containerStatuses.map(end) : status.containerStatuses,
    initContainerStatuses: init.map((container, index) =>
      index <= Math.max(ran, 0) ? end(container) : container,
    ),
  };
}

/** Whether `started` survives a kubelet restart (gate ChangeContainerStatusOnKubeletRestart, off since 1.35). */
export const keepsStarted = ({ minor, gates }: KubeletVersion): boolean =>
  minor >= 35 && !gates.ChangeContainerStatusOnKubeletRestart;

/**
 * A container that will restart and whose last start failed is waiting with the reason of that failure. This does not
 * apply to an init container that succeeded, not even to a sidecar in back-off.
 */
function failedToStart(
  { pod, runtime, reasons, willRestart }: ContainerStatusInput,
  spec: ContainerSpec,
  status: ContainerApiStatus,
  isInit: boolean,
): ContainerApiStatus {
  const newest = statusOf(runtime, spec.name);
  const done = newest?.state === 'exited' && newest.exitCode === 0;
  if (isInit && done) return status;
  if (!willRestart(spec)) return status;
  const failure = reasons.get(pod.metadata.uid, spec.name);
  if (failure === undefined) return status;
  return {
    ...status,
    lastState: status.state.kind === 'terminated' ? status.state : status.lastState,
    state: { kind: 'waiting', reason: failure.reason, message: failure.message },
  };
}
