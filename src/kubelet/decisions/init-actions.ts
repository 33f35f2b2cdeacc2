import type { ContainerSpec } from '../kubernetes/container.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import type { ActionInput, KillReason, PodActions } from './pod-actions.js';
import { keepsRunning } from './resize-actions.js';
import { isSidecar, restartsAfterKill, statusOf, verdictOnExit } from './restart.js';

/**
 * computeInitContainerActions (kuberuntime_container.go). Walks from the last init container to the first. The last one
 * with a status decides; of the earlier ones only sidecars keep running. Returns whether regular containers can run.
 */
export function decideInitContainers(input: ActionInput, actions: PodActions): boolean {
  const { pod, status } = input;
  const { initContainers } = pod.spec;
  const seen = input.version.minor >= 37 ? activeOf(status) : status;
  if (initContainers.length === 0) return true;
  let initialized = wasInitialized(input);
  /** A later container has a status, so this one has finished or is a sidecar. */
  let isPast = initialized;
  for (let index = initContainers.length - 1; index >= 0; index--) {
    const container = initContainers[index] as ContainerSpec;
    const newest = statusOf(seen, container.name);
    if (newest === undefined) {
      if (isPast && isSidecar(container)) actions.initContainersToStart.push(index);
      continue;
    }
    if (isPast && !isSidecar(container)) continue;
    const usual = outcomeOf(input, container, newest);
    const outcome = resized(input, actions, container, newest, usual);
    if (outcome.kind === 'kill-pod') {
      actions.killPod = true;
      actions.initContainersToStart = [];
      return false;
    }
    if (outcome.kind === 'done') {
      if (index === initContainers.length - 1) initialized = true;
      else if (!isPast) actions.initContainersToStart.push(index + 1);
    }
    if (outcome.kill !== undefined) actions.containersToKill.push(outcome.kill);
    if (outcome.start === true) actions.initContainersToStart.push(index);
    isPast = true;
  }
  if (!isPast) actions.initContainersToStart = [0];
  actions.initContainersToStart.reverse();
  return initialized;
}

/** The containers of the newest sandbox, which is ready. */
const activeOf = (status: RuntimePodStatus): RuntimePodStatus => ({
  ...status,
  containers: status.containers.filter(({ active }) => active),
});

/** A regular container is Created or Running (Exited ones may be older); from 1.37 on, any container counts. */
function wasInitialized({ pod, status, version }: ActionInput): boolean {
  if (version.minor >= 37) {
    const active = activeOf(status);
    return pod.spec.containers.some(({ name }) => statusOf(active, name) !== undefined);
  }
  return pod.spec.containers.some(({ name }) => {
    const state = statusOf(status, name)?.state;
    return state === 'created' || state === 'running';
  });
}

/**
 * Whether a running container may need a resize: a sidecar only after its start, other init containers from 1.36 on.
 * Only a sidecar can restart for a resize (API validation).
 */
function resized(
  input: ActionInput,
  actions: PodActions,
  container: ContainerSpec,
  newest: RuntimeContainerStatus,
  outcome: Outcome,
): Outcome {
  if (newest.state !== 'running' || outcome.kill !== undefined) return outcome;
  const isReady = isSidecar(container) ? outcome.kind === 'done' : input.version.minor >= 36;
  if (!isReady || keepsRunning(input, actions, container, newest)) return outcome;
  return { ...outcome, start: true };
}

interface Outcome {
  /** `done`: the next init container can start. */
  readonly kind: 'wait' | 'done' | 'kill-pod';
  readonly start?: boolean;
  readonly kill?: PodActions['containersToKill'][number];
}

function outcomeOf(input: ActionInput, container: ContainerSpec, newest: RuntimeContainerStatus): Outcome {
  const { pod, version } = input;
  switch (newest.state) {
    case 'created':
      return { kind: 'wait', start: true };
    case 'running':
      return isSidecar(container) ? runningSidecarOutcome(input, container, newest) : { kind: 'wait' };
    case 'exited': {
      if (isSidecar(container)) return { kind: 'wait', start: true };
      const failed = newest.reason === 'OOMKilled' || newest.exitCode !== 0;
      if (!failed) return { kind: 'done' };
      return restartsAfterFailure(input, container, newest.exitCode)
        ? { kind: 'wait', start: true }
        : { kind: 'kill-pod' };
    }
    case 'unknown': {
      if (!isSidecar(container) && !restartsAfterKill(pod, container, version)) return { kind: 'kill-pod' };
      const message = 'Init container is in "unknown" state, try killing it before restart';
      return { kind: 'wait', start: true, kill: { id: newest.id, container, message, reason: 'unknown' } };
    }
  }
}

/** With KEP-5307, OnFailure does not restart a container that was OOM-killed with exit code 0. */
function restartsAfterFailure(
  { pod, version }: ActionInput,
  container: ContainerSpec,
  exitCode: number,
): boolean {
  if (!version.gates.ContainerRestartRules) return pod.spec.restartPolicy !== 'Never';
  return verdictOnExit(pod, container, exitCode, version) !== 'stay';
}

function runningSidecarOutcome(
  { hashOf, probeResult }: ActionInput,
  container: ContainerSpec,
  { id, hash }: RuntimeContainerStatus,
): Outcome {
  const { name } = container;
  const kill = (message: string, reason: KillReason) => ({ id, container, message, reason });
  if (container.startupProbe !== undefined) {
    const startup = probeResult('startup', id);
    if (startup === 'failure') {
      return {
        kind: 'wait',
        start: true,
        kill: kill(`Init container ${name} failed startup probe`, 'startup'),
      };
    }
    if (startup !== 'success') return { kind: 'wait' };
  }
  if (hash !== hashOf(container)) {
    return { kind: 'done', start: true, kill: kill(`Init container ${name} definition changed`, 'unknown') };
  }
  if (container.livenessProbe !== undefined && probeResult('liveness', id) === 'failure') {
    return {
      kind: 'done',
      start: true,
      kill: kill(`Init container ${name} failed liveness probe`, 'liveness'),
    };
  }
  return { kind: 'done' };
}
