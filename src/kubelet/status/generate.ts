import type {
  ContainerSpec,
  Pod,
  PodApiStatus,
  PodCondition,
  ReasonCache,
  RuntimePodStatus,
  VersionProfile,
} from '../types.js';
import { containersReady, initialized, podReady, readyToStartContainers } from './conditions.js';
import { containerStatuses } from './container-statuses.js';
import { podPhase } from './phase.js';

export interface StatusInput {
  readonly pod: Pod;
  readonly runtime: RuntimePodStatus;
  /** What the API showed before; undefined for a new pod. */
  readonly previous: PodApiStatus | undefined;
  readonly reasons: ReasonCache;
  readonly profile: VersionProfile;
  /** Name that prefixes container ids, such as `containerd`. */
  readonly runtimeName: string;
  /** Address of pods in the host's network; empty for none, as without an API server. */
  readonly hostIp: string;
  /** Unix nanoseconds. */
  readonly now: bigint;
  /** No container will be started any more. */
  readonly terminal: boolean;
  /** PodSandboxChanged: a new sandbox is needed. */
  readonly sandboxChanged: boolean;
  /** Whether KEP-5532 restarts all containers of the pod right now. */
  readonly restartingAll: boolean;
  /** ShouldContainerBeRestarted. */
  readonly willRestart: (container: ContainerSpec) => boolean;
  /** ContainerShouldRestart. */
  readonly restartsOn: (container: ContainerSpec, exitCode: number) => boolean;
  /** Fills in `ready` and `started` (prober_manager.go UpdatePodStatus). */
  readonly probe: (status: PodApiStatus) => PodApiStatus;
}

/**
 * generateAPIPodStatus (kubelet_pods.go). It is made before a sync acts, so what the API shows is one sync behind.
 */
export function generateStatus(input: StatusInput): PodApiStatus {
  const { previous, now } = input;
  const convert = (kind: 'init' | 'regular') => {
    const before = kind === 'init' ? previous?.initContainerStatuses : previous?.containerStatuses;
    return containerStatuses({ ...input, previous: before ?? [] }, kind);
  };
  const started = input.probe({
    phase: 'Unknown',
    conditions: [],
    podIPs: podIps(input),
    startTime: previous?.startTime ?? now,
    initContainerStatuses: convert('init'),
    containerStatuses: convert('regular'),
  });
  const phase = phaseOf(input, started);
  const same = phase === previous?.phase;
  return {
    ...started,
    phase,
    reason: same ? previous.reason : undefined,
    message: same ? previous.message : undefined,
    conditions: conditionsOf(input, { ...started, phase }),
  };
}

/** What SetContainerReadiness changes besides the container (status_manager.go): the conditions about readiness. */
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

/** Terminal phases stay. `started` of sidecars matters, so that the probes have been asked before. */
function phaseOf(input: StatusInput, status: PodApiStatus): PodApiStatus['phase'] {
  const before = input.previous?.phase;
  if (before === 'Failed' || before === 'Succeeded') return before;
  const { initContainerStatuses: init, containerStatuses: regular } = status;
  return podPhase({ ...input, init, regular });
}

function podIps({ pod, runtime, hostIp, previous }: StatusInput): readonly string[] {
  if (runtime.ips.length > 0) return runtime.ips;
  if (pod.spec.hostNetwork && hostIp !== '') return [hostIp];
  return previous?.podIPs ?? [];
}

function conditionsOf(input: StatusInput, status: PodApiStatus): PodCondition[] {
  const { pod, profile, previous, now } = input;
  const given = {
    pod,
    phase: status.phase,
    init: status.initContainerStatuses,
    regular: status.containerStatuses,
  };
  const made: PodCondition[] = [
    ...(profile.sandboxCondition ? [readyToStartContainers(input.sandboxChanged)] : []),
    keepInitialized(initialized(given), input),
    podReady(given),
    containersReady(given),
    { type: 'PodScheduled', status: 'True' },
    ...restartingAll(input),
  ];
  return made.map((condition) => {
    const old = previous?.conditions.find(({ type }) => type === condition.type);
    const lastTransitionTime = old?.status === condition.status ? old.lastTransitionTime : now;
    return { ...condition, lastTransitionTime };
  });
}

/** A pod whose containers are all restarted stays initialized while its init containers run again. */
function keepInitialized(condition: PodCondition, { profile, previous }: StatusInput): PodCondition {
  const was = previous?.conditions.some(({ type, status }) => type === 'Initialized' && status === 'True');
  const keep = was && condition.status === 'False' && profile.gates.RestartAllContainersOnContainerExits;
  return keep ? { type: 'Initialized', status: 'True' } : condition;
}

/** Only shown once it has been true. */
function restartingAll({ restartingAll: active, previous }: StatusInput): PodCondition[] {
  const type = 'AllContainersRestarting';
  if (active) {
    const message = 'container exited with restart policy rule';
    return [{ type, status: 'True', reason: 'RestartAllContainersStarted', message }];
  }
  return previous?.conditions.some((condition) => condition.type === type) ? [{ type, status: 'False' }] : [];
}
