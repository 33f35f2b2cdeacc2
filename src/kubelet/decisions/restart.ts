import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { RuntimeContainerStatus, RuntimePodStatus } from '../types/runtime-status.js';
import type { KubeletVersion } from '../types/version.js';

/** Statuses are ordered newest first. */
export function statusOf(status: RuntimePodStatus, name: string): RuntimeContainerStatus | undefined {
  return status.containers.find((container) => container.name === name);
}

/** KEP-753, pkg/api/v1/pod/util.go IsRestartableInitContainer. */
export function isSidecar(container: ContainerSpec): boolean {
  return container.restartPolicy === 'Always';
}

/** Consequence of an exit code (pkg/api/v1/pod/util.go ContainerShouldRestart and its rules). */
export type ExitVerdict = 'stay' | 'restart' | 'restart-all';

/** With KEP-5307, a container with its own policy follows its rules and policy; otherwise the pod's policy decides. */
export function verdictOnExit(
  pod: Pod,
  container: ContainerSpec,
  exitCode: number,
  version: KubeletVersion,
): ExitVerdict {
  if (container.restartPolicy === undefined || !version.gates.ContainerRestartRules) {
    return byPolicy(pod.spec.restartPolicy, exitCode);
  }
  const rule = container.restartPolicyRules.find(
    ({ exitCodes: { operator, values } }) => values.includes(exitCode) === (operator === 'In'),
  );
  if (rule?.action === 'Restart') return 'restart';
  if (rule?.action === 'RestartAllContainers' && version.gates.RestartAllContainersOnContainerExits) {
    return 'restart-all';
  }
  return byPolicy(container.restartPolicy, exitCode);
}

function byPolicy(policy: Pod['spec']['restartPolicy'], exitCode: number): ExitVerdict {
  if (policy === 'Always') return 'restart';
  if (policy === 'Never') return 'stay';
  return exitCode === 0 ? 'stay' : 'restart';
}

/** ShouldContainerBeRestarted (container/helpers.go). Restarts a Created container: its last start failed halfway. */
export function shouldBeRestarted(
  pod: Pod,
  container: ContainerSpec,
  status: RuntimePodStatus,
  version: KubeletVersion,
): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  const newest = statusOf(status, container.name);
  if (newest === undefined) return true;
  if (newest.state === 'running') return false;
  if (newest.state === 'unknown' || newest.state === 'created') return true;
  return verdictOnExit(pod, container, newest.exitCode, version) !== 'stay';
}

/** With KEP-5307 the container's own policy overrides the pod's. */
export function policyOf(
  pod: Pod,
  container: ContainerSpec,
  version: KubeletVersion,
): Pod['spec']['restartPolicy'] {
  const own = version.gates.ContainerRestartRules ? container.restartPolicy : undefined;
  return own ?? pod.spec.restartPolicy;
}

/** For a killed container without an exit code. Rules on exit codes are ignored. */
export function restartsAfterKill(pod: Pod, container: ContainerSpec, version: KubeletVersion): boolean {
  return policyOf(pod, container, version) !== 'Never';
}

/** RestartAllContainers (KEP-5532). */
export function hasAllRestartRule({ spec }: Pod): boolean {
  return [...spec.initContainers, ...spec.containers].some(({ restartPolicyRules }) =>
    restartPolicyRules.some(({ action }) => action === 'RestartAllContainers'),
  );
}

/**
 * ShouldAllContainersRestart (container/helpers.go): the API's condition is set, or a container's exit matches a rule.
 */
export function allContainersRestart(
  pod: Pod,
  runtime: RuntimePodStatus | undefined,
  shown: PodApiStatus | undefined,
  version: KubeletVersion,
): boolean {
  if (!version.gates.RestartAllContainersOnContainerExits) return false;
  const isRestarting = shown?.conditions.some(
    ({ type, status }) => type === 'AllContainersRestarting' && status === 'True',
  );
  if (isRestarting) return true;
  const states = new Map(
    [...(shown?.initContainerStatuses ?? []), ...(shown?.containerStatuses ?? [])].map(
      ({ name, state }) => [name, state] as const,
    ),
  );
  return [...pod.spec.initContainers, ...pod.spec.containers].some((container) => {
    const asks = (exitCode: number) => verdictOnExit(pod, container, exitCode, version) === 'restart-all';
    if (runtime !== undefined) {
      const newest = statusOf(runtime, container.name);
      if (newest?.state !== 'exited') return false;
      if (asks(newest.exitCode)) return true;
    }
    const state = states.get(container.name);
    return state?.kind === 'terminated' && asks(state.exitCode);
  });
}
