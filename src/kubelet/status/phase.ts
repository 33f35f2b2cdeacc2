import type { ContainerApiStatus, ContainerSpec, Pod, PodApiStatus } from '../types.js';

export interface PhaseInput {
  readonly pod: Pod;
  readonly init: readonly ContainerApiStatus[];
  readonly regular: readonly ContainerApiStatus[];
  /** No container will be started any more. */
  readonly terminal: boolean;
  /** Whether an exit with this code leads to a restart (ContainerShouldRestart). */
  readonly restartsOn: (container: ContainerSpec, exitCode: number) => boolean;
}

interface Count {
  pendingInit: number;
  failedInit: boolean;
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
  restartable: boolean;
}

/** getPhase (kubelet_pods.go). A container in back-off counts as stopped, so its pod stays Running. */
export function podPhase(input: PhaseInput): PodApiStatus['phase'] {
  const count = countStates(input);
  if (count.failedInit) return 'Failed';
  if (count.pendingInit > 0 && !hasStartedRegular(input.regular)) return 'Pending';
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
  const exitCode = exitCodeOf(status);
  if (exitCode === undefined) count.pendingInit++;
  else if (exitCode !== 0 && !restartsOn(spec, exitCode)) count.failedInit = true;
}

/** A sidecar that ended does not count. */
function countSidecar(count: Count, status: ContainerApiStatus | undefined): void {
  if (status === undefined) {
    count.unknown++;
  } else if (status.state.kind === 'running') {
    if (!status.started) count.pendingInit++;
    count.running++;
  } else if (exitCodeOf(status) === undefined) {
    count.pendingInit++;
    count.waiting++;
  }
}

function countRegular(
  count: Count,
  spec: ContainerSpec,
  status: ContainerApiStatus | undefined,
  restartsOn: PhaseInput['restartsOn'],
): void {
  const exitCode = exitCodeOf(status);
  if (status === undefined) count.unknown++;
  else if (status.state.kind === 'running') count.running++;
  else if (exitCode === undefined) count.waiting++;
  else {
    count.stopped++;
    if (status.state.kind === 'terminated' && exitCode === 0) count.succeeded++;
    if (restartsOn(spec, exitCode)) count.restartable = true;
  }
}

/** Of a container that ended, or that waits to be started again after it did. */
function exitCodeOf(status: ContainerApiStatus | undefined): number | undefined {
  if (status?.state.kind === 'terminated') return status.state.exitCode;
  if (status?.state.kind === 'waiting' && status.lastState?.kind === 'terminated')
    return status.lastState.exitCode;
  return undefined;
}

/** kubecontainer.HasAnyRegularContainerStarted: one that waits to be started again does not count. */
export function hasStartedRegular(regular: readonly ContainerApiStatus[]): boolean {
  return regular.some(({ state }) => state.kind !== 'waiting');
}
