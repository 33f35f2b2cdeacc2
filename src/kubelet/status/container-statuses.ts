import type {
  ContainerApiState,
  ContainerApiStatus,
  ContainerSpec,
  Pod,
  ReasonCache,
  RuntimeContainerStatus,
  RuntimePodStatus,
} from '../types.js';

export interface ContainerStatusInput {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  /** What the API showed before. */
  readonly previous: readonly ContainerApiStatus[];
  readonly reasons: ReasonCache;
  /** Name that prefixes container ids, such as `containerd`. */
  readonly runtimeName: string;
  /** ShouldContainerBeRestarted. */
  readonly willRestart: (container: ContainerSpec) => boolean;
  /** The pod condition AllContainersRestarting holds (KEP-5532). */
  readonly restartingAll: boolean;
}

type Mutable = { -readonly [K in keyof ContainerApiStatus]: ContainerApiStatus[K] };

/** Exit code of a container whose end nobody saw. */
const LOST = 137;

/**
 * convertToAPIContainerStatuses (kubelet_pods.go): the newest instance of a container is its state, the second newest
 * its last state; what failed to start is waiting. In the order of the specification for init containers, by name
 * for the others.
 */
export function containerStatuses(
  input: ContainerStatusInput,
  kind: 'init' | 'regular',
): ContainerApiStatus[] {
  const { pod, previous } = input;
  const specs = kind === 'init' ? pod.spec.initContainers : pod.spec.containers;
  const before = new Map(previous.map((status) => [status.name, status]));
  const statuses = specs.map((spec) => {
    const old = before.get(spec.name);
    const instances = input.runtime.containers.filter((each) => each.name === spec.name);
    const status =
      instances.length > 0
        ? fromInstances(input, instances, old)
        : withoutInstance(input, spec, old, kind === 'init');
    return failedToStart(input, spec, status, kind === 'init', instances[0]);
  });
  return kind === 'init' ? statuses : statuses.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fromInstances(
  { runtimeName }: ContainerStatusInput,
  [newest, second]: readonly RuntimeContainerStatus[],
  old: ContainerApiStatus | undefined,
): Mutable {
  const latest = newest as RuntimeContainerStatus;
  const lost = latest.state === 'unknown' && old?.state.kind === 'running';
  return {
    name: latest.name,
    state: stateOf(latest, old, runtimeName),
    lastState: second === undefined ? undefined : stateOf(second, old, runtimeName),
    ready: false,
    started: false,
    restartCount: lost ? old.restartCount + 1 : latest.restartCount,
    image: latest.image,
    imageID: latest.imageRef,
    containerID: `${runtimeName}://${latest.id}`,
  };
}

function stateOf(
  container: RuntimeContainerStatus,
  old: ContainerApiStatus | undefined,
  runtimeName: string,
): ContainerApiState {
  const { state, exitCode, reason, message, startedAt, finishedAt } = container;
  if (state === 'running') return { kind: 'running', startedAt };
  if (state === 'exited') {
    const containerID = `${runtimeName}://${container.id}`;
    return { kind: 'terminated', exitCode, reason, message, startedAt, finishedAt, containerID };
  }
  if (state === 'unknown' && old?.state.kind === 'running') {
    return ended(
      'ContainerStatusUnknown',
      'The container could not be located when the pod was terminated',
      LOST,
    );
  }
  return { kind: 'waiting', reason: '', message: '' };
}

/** The runtime has no instance: never started, or gone without a trace. */
function withoutInstance(
  input: ContainerStatusInput,
  spec: ContainerSpec,
  old: ContainerApiStatus | undefined,
  isInit: boolean,
): Mutable {
  const { pod, restartingAll } = input;
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
    const reason = 'RestartingAllContainers';
    const message = 'The container is removed because RestartAllContainers in place';
    fresh.state = { kind: 'waiting', reason, message };
    fresh.lastState = ended(reason, message, LOST);
    fresh.restartCount++;
    return fresh;
  }
  if (old?.state.kind === 'terminated') return { ...old };
  if (isInit && spec.restartPolicy !== 'Always' && hasRegularContainer(input)) {
    const message =
      'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally';
    return { ...fresh, state: ended('Completed', message, 0) };
  }
  if (old?.state.kind === 'running' && fresh.lastState?.kind !== 'terminated') {
    const message =
      'The container could not be located when the pod was deleted.  The container used to be Running';
    fresh.lastState = ended('ContainerStatusUnknown', message, LOST);
    if (pod.metadata.deletionTimestamp === undefined) fresh.restartCount++;
  }
  return fresh;
}

const waitingReason = ({ spec }: Pod): string =>
  spec.initContainers.length > 0 ? 'PodInitializing' : 'ContainerCreating';

const hasRegularContainer = ({ pod, runtime }: ContainerStatusInput): boolean =>
  runtime.containers.some(({ name }) => pod.spec.containers.some((spec) => spec.name === name));

function ended(reason: string, message: string, exitCode: number): ContainerApiState {
  return { kind: 'terminated', exitCode, reason, message, startedAt: 0n, finishedAt: 0n, containerID: '' };
}

/** A container that will be started again, and whose last start failed, is waiting for the reason of that. */
function failedToStart(
  { pod, reasons, willRestart }: ContainerStatusInput,
  spec: ContainerSpec,
  status: Mutable,
  isInit: boolean,
  newest: RuntimeContainerStatus | undefined,
): ContainerApiStatus {
  const done = newest?.state === 'exited' && newest.exitCode === 0;
  if (isInit && done && spec.restartPolicy !== 'Always') return status;
  if (!willRestart(spec)) return status;
  const failure = reasons.get(pod.metadata.uid, spec.name);
  if (failure === undefined) return status;
  return {
    ...status,
    lastState: status.state.kind === 'terminated' ? status.state : status.lastState,
    state: { kind: 'waiting', reason: failure.reason, message: failure.message },
  };
}
