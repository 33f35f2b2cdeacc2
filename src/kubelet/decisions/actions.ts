import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import type { KubeletVersion } from '../types/version.js';
import { decideInitContainers } from './init-actions.js';
import type { ActionInput, KillReason, PodActions } from './pod-actions.js';
import { keepsRunning, resizesPodForStart } from './resize-actions.js';
import { policyOf, restartsAfterKill, shouldBeRestarted, statusOf, verdictOnExit } from './restart.js';
import { decideSandbox } from './sandbox-decision.js';

/** computePodActions (kuberuntime_manager.go). */
export function computePodActions(input: ActionInput): PodActions {
  const { pod, status, version, restartingAll } = input;
  const sandbox = decideSandbox(pod, status);
  const changed = sandbox.problem !== undefined;
  const actions: PodActions = {
    killPod: changed,
    createSandbox: changed,
    sandboxId: sandbox.id,
    attempt: sandbox.attempt,
    initContainersToStart: [],
    containersToStart: [],
    ephemeralContainersToStart: [],
    containersToKill: [],
    containersToReset: [],
  };
  if (restartingAll && version.gates.RestartAllContainersOnContainerExits) {
    actions.containersToReset = resetOrder(input);
    return actions;
  }
  if (changed) {
    decideForNewSandbox(input, actions);
    return actions;
  }
  decideEphemeralContainers(input, actions);
  const initialized = decideInitContainers(input, actions);
  if (!actions.killPod && initialized) decideContainers(input, actions);
  if (resizesPodForStart(input, actions))
    actions.resize = { memory: [], cpu: [], ...actions.resize, restarts: true };
  return actions;
}

/**
 * Restarts all containers, unless none is left to run. Only the pod's policy decides here: a container's own policy or
 * rules cannot restart a pod whose policy is Never.
 */
function decideForNewSandbox({ pod, status, version }: ActionInput, actions: PodActions): void {
  if (pod.spec.restartPolicy === 'Never' && actions.attempt !== 0 && status.containers.length > 0) {
    actions.createSandbox = false;
    return;
  }
  const toStart = pod.spec.containers.flatMap((container, index) =>
    hasRunForGood(pod, container, status, version) ? [] : [index],
  );
  if (toStart.length === 0) {
    const known = pod.spec.containers.some(({ name }) => {
      const state = statusOf(status, name)?.state;
      return state !== undefined && state !== 'unknown';
    });
    if (known) {
      actions.createSandbox = false;
      return;
    }
  }
  if (pod.spec.initContainers.length > 0) actions.initContainersToStart = [0];
  else actions.containersToStart = toStart;
}

/** Starts each once, even before the pod is initialized, and never restarts it. */
function decideEphemeralContainers({ pod, status }: ActionInput, actions: PodActions): void {
  for (const [index, { name }] of (pod.spec.ephemeralContainers ?? []).entries())
    if (statusOf(status, name) === undefined) actions.ephemeralContainersToStart.push(index);
}

/** It succeeded and restarts only on failure. Rules on exit codes are ignored. */
function hasRunForGood(
  pod: Pod,
  container: ContainerSpec,
  status: RuntimePodStatus,
  version: KubeletVersion,
): boolean {
  const newest = statusOf(status, container.name);
  const succeeded = newest?.state === 'exited' && newest.exitCode === 0;
  return succeeded && policyOf(pod, container, version) === 'OnFailure';
}

function decideContainers(input: ActionInput, actions: PodActions): void {
  const { pod, status, version, hashOf, probeResult } = input;
  let kept = 0;
  for (const [index, container] of pod.spec.containers.entries()) {
    const newest = statusOf(status, container.name);
    if (newest?.state !== 'running') {
      if (!shouldBeRestarted(pod, container, status, version)) continue;
      actions.containersToStart.push(index);
      if (newest?.state === 'unknown') {
        const message = `Container is in "unknown" state, try killing it before restart`;
        actions.containersToKill.push({ id: newest.id, container, message, reason: 'unknown' });
      }
      continue;
    }
    const complaint = complaintAbout(container, newest, hashOf, probeResult);
    if (complaint === undefined) {
      if (keepsRunning(input, actions, container, newest)) kept++;
      else actions.containersToStart.push(index);
      continue;
    }
    const restart = complaint.reason === 'unknown' || restartsAfterKill(pod, container, version);
    if (restart) actions.containersToStart.push(index);
    const message = restart ? `${complaint.message}, will be restarted` : complaint.message;
    actions.containersToKill.push({ id: newest.id, container, message, reason: complaint.reason });
  }
  if (kept === 0 && actions.containersToStart.length === 0) {
    actions.killPod = true;
    actions.initContainersToStart = [];
  }
}

/** Why to kill a running container; `unknown` means a changed definition. */
function complaintAbout(
  container: ContainerSpec,
  { id, hash }: RuntimeContainerStatus,
  hashOf: ActionInput['hashOf'],
  probeResult: ActionInput['probeResult'],
): { message: string; reason: KillReason } | undefined {
  const { name } = container;
  if (hash !== hashOf(container)) {
    return { message: `Container ${name} definition changed`, reason: 'unknown' };
  }
  if (probeResult('liveness', id) === 'failure') {
    return { message: `Container ${name} failed liveness probe`, reason: 'liveness' };
  }
  if (probeResult('startup', id) === 'failure') {
    return { message: `Container ${name} failed startup probe`, reason: 'startup' };
  }
  return undefined;
}

/** Containers whose exit requested the restart are removed last, so that the request survives a kubelet restart. */
function resetOrder({ pod, status, version }: ActionInput): RuntimeContainerStatus[] {
  const instances = [...pod.spec.containers, ...pod.spec.initContainers].flatMap((spec) =>
    status.containers.filter(({ name }) => name === spec.name).map((container) => ({ spec, container })),
  );
  const asked = instances.filter(
    ({ spec, container: { state, exitCode } }) =>
      state === 'exited' && verdictOnExit(pod, spec, exitCode, version) === 'restart-all',
  );
  const others = instances.filter((instance) => !asked.includes(instance));
  return [...others, ...asked].map(({ container }) => container);
}
