import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { ContainerApiState, ContainerApiStatus, PodApiStatus } from '../kubernetes/pod-status.js';

export interface PhaseInput {
  readonly pod: Pod;
  readonly init: readonly ContainerApiStatus[];
  readonly regular: readonly ContainerApiStatus[];
  /** No container will start again. */
  readonly terminal: boolean;
  /** HasAnyActiveRegularContainerStarted. */
  readonly initialized: boolean;
  /** Whether an exit with this code causes a restart (ContainerShouldRestart). */
  readonly restartsOn: (container: ContainerSpec, exitCode: number) => boolean;
}

interface Count {
  pendingInit: number;
  pendingSidecar: number;
  failedInit: boolean;
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
  restartable: boolean;
}

/** pkg/api/v1/pod/util.go IsPodPhaseTerminal. */
export const isTerminal = (phase: PodApiStatus['phase'] | undefined): boolean =>
  phase === 'Failed' || phase === 'Succeeded';

/** getPhase (kubelet_pods.go). A container in back-off counts as stopped, so its pod stays Running. */
export function podPhase(input: PhaseInput): PodApiStatus['phase'] {
  const count = countStates(input);
  if (count.failedInit) return 'Failed';
  if (count.pendingInit > 0 || (count.pendingSidecar > 0 && !input.initialized)) return 'Pending';
  if (count.waiting > 0) return 'Pending';
  if (count.unknown > 0) return 'Pending';
  if (count.running > 0) return 'Running';
  if (count.stopped === 0) return 'Pending';
  const outcome = count.stopped === count.succeeded ? 'Succeeded' : 'Failed';
  if (input.terminal && input.pod.source !== 'file') return outcome;
  return count.restartable ? 'Running' : outcome;
}

function countStates({ pod, init, regular, restartsOn }: PhaseInput): Count {
  const count: Count = {
    pendingInit: 0,
    pendingSidecar: 0,
    failedInit: false,
    unknown: 0,
    running: 0,
    waiting: 0,
    stopped: 0,
    succeeded: 0,
    restartable: false,
  };
  for (const spec of pod.spec.initContainers) {
    const status = init.find(({ name }) => name === spec.name);
    if (spec.restartPolicy === 'Always') countSidecar(count, status);
    else countInit(count, spec, status, restartsOn);
  }
  for (const spec of pod.spec.containers) {
    countRegular(
      count,
      spec,
      regular.find(({ name }) => name === spec.name),
      restartsOn,
    );
  }
  return count;
}

function countInit(
  count: Count,
  spec: ContainerSpec,
  status: ContainerApiStatus | undefined,
  restartsOn: PhaseInput['restartsOn'],
): void {
  const end = endOf(status);
  if (end === undefined) count.pendingInit++;
  else if (end.exitCode !== 0 && !comesBack(spec, end, restartsOn)) count.failedInit = true;
}

/** An ended sidecar does not count. */
function countSidecar(count: Count, status: ContainerApiStatus | undefined): void {
  if (status === undefined) {
    count.unknown++;
  } else if (status.state.kind === 'running') {
    if (!status.started) count.pendingSidecar++;
    count.running++;
  } else if (endOf(status) === undefined) {
    count.pendingSidecar++;
    count.waiting++;
  }
}

function countRegular(
  count: Count,
  spec: ContainerSpec,
  status: ContainerApiStatus | undefined,
  restartsOn: PhaseInput['restartsOn'],
): void {
  const end = endOf(status);
  if (status === undefined) count.unknown++;
  else if (status.state.kind === 'running') count.running++;
  else if (end === undefined) count.waiting++;
  else {
    count.stopped++;
    if (status.state.kind === 'terminated' && end.exitCode === 0) count.succeeded++;
    if (comesBack(spec, end, restartsOn)) count.restartable = true;
  }
}

type Terminated = Extract<ContainerApiState, { kind: 'terminated' }>;

function endOf(status: ContainerApiStatus | undefined): Terminated | undefined {
  if (status?.state.kind === 'terminated') return status.state;
  if (status?.state.kind === 'waiting' && status.lastState?.kind === 'terminated') return status.lastState;
  return undefined;
}

const comesBack = (spec: ContainerSpec, end: Terminated, restartsOn: PhaseInput['restartsOn']): boolean =>
  end.reason === RESTARTING_ALL || restartsOn(spec, end.exitCode);

/** Reason of a container that RestartAllContainers removed. */
export const RESTARTING_ALL = 'RestartingAllContainers';

/** kubecontainer.HasAnyRegularContainerStarted: a container that waits to restart does not count. */
export function hasStartedRegular(regular: readonly ContainerApiStatus[]): boolean {
  return regular.some(({ state }) => state.kind !== 'waiting');
}
