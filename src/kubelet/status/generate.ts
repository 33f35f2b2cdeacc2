import { sortPodIps } from '../client/pod-status.js';
import { allContainersRestart, hasAllRestartRule } from '../decisions/restart.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { ContainerApiStatus, PodApiStatus, PodCondition } from '../kubernetes/pod-status.js';
import { containersReady, initialized, podReady, readyToStartContainers } from './conditions.js';
import { type ContainerKind, type ContainerStatusInput, containerStatuses } from './container-statuses.js';
import { isTerminal, podPhase } from './phase.js';

export interface StatusInput extends Omit<ContainerStatusInput, 'previous' | 'restartingAll'> {
  /** Previous status in the API; undefined for a new pod. */
  readonly previous: PodApiStatus | undefined;
  /** Address of pods with host network; empty without an API server. */
  readonly hostIp: string;
  /** Unix nanoseconds. */
  readonly now: bigint;
  /** No container will start again. */
  readonly terminal: boolean;
  /** PodSandboxChanged: why a new sandbox is needed. */
  readonly sandboxProblem: string | undefined;
  readonly resizing: readonly PodCondition[];
  /** Why the pod must end, such as its deadline. */
  readonly evicted: Pick<PodApiStatus, 'reason' | 'message'> | undefined;
  /** ContainerShouldRestart. */
  readonly restartsOn: (container: ContainerSpec, exitCode: number) => boolean;
  /** Sets `ready` and `started` (prober_manager.go UpdatePodStatus). */
  readonly probe: (status: PodApiStatus) => PodApiStatus;
}

/** generateAPIPodStatus (kubelet_pods.go). Runs before a sync acts, so the API lags one sync behind. */
export function generateStatus(input: StatusInput): PodApiStatus {
  const { pod, runtime, previous, version, now } = input;
  const restartingAll = allContainersRestart(pod, runtime, previous, version);
  const convert = (kind: ContainerKind, before: readonly ContainerApiStatus[] = []) =>
    containerStatuses({ ...input, restartingAll, previous: before }, kind);
  const made: PodApiStatus = {
    phase: 'Unknown',
    conditions: [],
    podIPs: podIps(input),
    startTime: previous?.startTime ?? now,
    initContainerStatuses: convert('init', previous?.initContainerStatuses),
    containerStatuses: convert('regular', previous?.containerStatuses),
    ...(pod.spec.ephemeralContainers && {
      ephemeralContainerStatuses: convert('ephemeral', previous?.ephemeralContainerStatuses),
    }),
  };
  const phase = input.evicted === undefined ? phaseOf(input, made) : 'Failed';
  const probed = input.probe(made);
  const kept = phase === previous?.phase ? previous : undefined;
  const { reason, message } = input.evicted ?? kept ?? {};
  const conditions = conditionsOf(input, { ...probed, phase }, restartingAll);
  return { ...probed, phase, reason, message, conditions };
}

/** SetContainerReadiness (status_manager.go) also changes the readiness conditions. */
export function refreshReadiness(pod: Pod, status: PodApiStatus, now: bigint): PodApiStatus {
  const { phase, initContainerStatuses: init, containerStatuses: regular } = status;
  const given = { pod, phase, init, regular };
  const fresh = [podReady(given), containersReady(given)];
  return {
    ...status,
    conditions: status.conditions.map((old) => {
      const made = fresh.find(({ type }) => type === old.type);
      if (made === undefined) return old;
      return { ...made, lastTransitionTime: made.status === old.status ? old.lastTransitionTime : now };
    }),
  };
}

/** OnPodSandboxReady (kubelet.go, ≥ 1.36): the sandbox exists while images are still being pulled. */
export function withSandbox(status: PodApiStatus, now: bigint): PodApiStatus {
  const ready = readyToStartContainers(undefined);
  return {
    ...status,
    conditions: status.conditions.map((old) => {
      if (old.type !== ready.type || old.status === ready.status) return old;
      return { ...ready, lastTransitionTime: now };
    }),
  };
}

/** A pod never leaves a terminal phase. Probes are evaluated later, so `started` of a sidecar is its previous value. */
function phaseOf(input: StatusInput, status: PodApiStatus): PodApiStatus['phase'] {
  const { pod, runtime, previous } = input;
  const { initContainerStatuses: init, containerStatuses: regular } = status;
  const initialized = runtime.containers.some(
    ({ name, active }) => active && pod.spec.containers.some((container) => container.name === name),
  );
  const phase = podPhase({ ...input, init, regular, initialized });
  return isTerminal(previous?.phase) && !isTerminal(phase) ? (previous?.phase ?? phase) : phase;
}

function podIps({ pod, runtime, hostIp }: StatusInput): readonly string[] {
  const ips = sortPodIps(runtime.ips);
  return ips.length === 0 && pod.spec.hostNetwork && hostIp !== '' ? [hostIp] : ips;
}

function conditionsOf(input: StatusInput, status: PodApiStatus, restartsAll: boolean): PodCondition[] {
  const { pod, version, previous, now } = input;
  const given = {
    pod,
    phase: status.phase,
    init: status.initContainerStatuses,
    regular: status.containerStatuses,
  };
  const made: PodCondition[] = [
    ...(version.sandboxCondition ? [readyToStartContainers(input.sandboxProblem, version)] : []),
    keepInitialized(initialized(given), input),
    podReady(given),
    containersReady(given),
    { type: 'PodScheduled', status: 'True' },
    ...restartingAll(input, status.phase, restartsAll),
  ];
  const timed = made.map((condition) => {
    const old = previous?.conditions.find(({ type }) => type === condition.type);
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
    return { ...condition, lastTransitionTime };
  });
  return [...input.resizing, ...timed];
}

/** Under RestartAllContainers a pod stays initialized while its init containers run again. */
function keepInitialized(condition: PodCondition, { version, previous }: StatusInput): PodCondition {
  const was = previous?.conditions.some(({ type, status }) => type === 'Initialized' && status === 'True');
  const keep = was && condition.status === 'False' && version.gates.RestartAllContainersOnContainerExits;
  return keep ? { type: 'Initialized', status: 'True' } : condition;
}

/** GenerateAllContainersRestartingCondition, for pods with such a rule: true until every container is removed. */
function restartingAll(
  { pod, runtime, version }: StatusInput,
  phase: PodApiStatus['phase'],
  restartsAll: boolean,
): PodCondition[] {
  if (!version.gates.RestartAllContainersOnContainerExits || !hasAllRestartRule(pod)) return [];
  const type = 'AllContainersRestarting';
  if (phase === 'Succeeded') return [{ type, status: 'False', reason: 'PodCompleted' }];
  if (phase === 'Failed') return [{ type, status: 'False', reason: 'PodFailed' }];
  const names = [...pod.spec.initContainers, ...pod.spec.containers].map(({ name }) => name);
  const left = runtime.containers.some(({ name }) => names.includes(name));
  if (!restartsAll || !left) return [{ type, status: 'False' }];
  const message = 'container exited with restart policy rule';
  return [{ type, status: 'True', reason: 'RestartAllContainersStarted', message }];
}
