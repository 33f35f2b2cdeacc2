import { hasAllRestartRule, isSidecar, verdictOnExit } from '../decisions/restart.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { ContainerApiStatus, PodApiStatus } from '../kubernetes/pod-status.js';
import type { KubeletVersion } from '../types/version.js';

/**
 * checkContainerStateTransition (status_manager.go): drops a status in which a permanently ended container runs again.
 * This happens when a pod with policy OnFailure gets a new sandbox and its init containers run again: the API shows the
 * previous status until they have ended.
 */
export function isLegalTransition(
  pod: Pod,
  before: PodApiStatus,
  after: PodApiStatus,
  version: KubeletVersion,
): boolean {
  const { restartPolicy, containers, initContainers } = pod.spec;
  if (restartPolicy === 'Always') return true;
  if (version.gates.RestartAllContainersOnContainerExits && hasAllRestartRule(pod)) return true;
  const staysEnded = (spec: ContainerSpec, exitCode: number): boolean =>
    !(exitCode !== 0 && restartPolicy === 'OnFailure') &&
    verdictOnExit(pod, spec, exitCode, version) === 'stay';
  const comesBack = (
    specs: readonly ContainerSpec[],
    old: readonly ContainerApiStatus[],
    made: readonly ContainerApiStatus[],
  ): boolean =>
    specs.some((spec) => {
      const was = old.find(({ name }) => name === spec.name)?.state;
      if (was?.kind !== 'terminated' || !staysEnded(spec, was.exitCode)) return false;
      return made.some(({ name, state }) => name === spec.name && state.kind !== 'terminated');
    });
  const steps = initContainers.filter((spec) => !isSidecar(spec));
  return !(
    comesBack(containers, before.containerStatuses, after.containerStatuses) ||
    comesBack(steps, before.initContainerStatuses, after.initContainerStatuses)
  );
}
