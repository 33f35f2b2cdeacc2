import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';

/** record.EventRecorder. `container` sets the event's field path to that container. */
export interface Recorder {
  event(
    pod: Pod,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    container?: ContainerSpec,
    facts?: EventFacts,
  ): void;
}

/** What an event is about, where its reason does not say it. */
export interface EventFacts {
  /** The image that it is about. */
  readonly image?: string | undefined;
  /** What became of a pull; `present` when none was necessary, `refused` when the policy forbids one. */
  readonly pull?: 'begun' | 'succeeded' | 'failed' | 'present' | 'refused' | undefined;
  /** The probe that failed, or because of which the container is stopped. */
  readonly probe?: ProbeKind | undefined;
}

/** A recorded Kubernetes event; `field` is empty for the pod itself. */
export interface KubeEvent {
  /** Unix nanoseconds. */
  readonly time: bigint;
  /** Starts at 1. */
  readonly sequence: number;
  readonly uid: string;
  readonly pod: string;
  readonly namespace: string;
  /** `spec.containers{app}`, `spec.initContainers{setup}` or ``. */
  readonly field: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly facts?: EventFacts | undefined;
}

/** Why the last start of a container failed (kubelet reason_cache.go); becomes its waiting reason. */
export interface ReasonCache {
  get(uid: string, container: string): { readonly reason: string; readonly message: string } | undefined;
}

/** A container has at most one probe of each kind. */
export type ProbeKind = 'liveness' | 'readiness' | 'startup';
/** results.Result (prober/results): `unknown` until the first result of a startup probe. */
export type ProbeResult = 'success' | 'failure' | 'unknown';

/** prober.Manager as the sync code sees it. Implemented in `probes/`. */
export interface ProbeManager {
  /** Creates a worker for every probe of the pod that has none yet. */
  addPod(pod: Pod): void;
  stopLivenessAndStartup(pod: Pod): void;
  removePod(pod: Pod): void;
  /** The pod is being terminated: cancels its probes' commands, running or not yet started. */
  cancel(uid: string): void;
  /** Stops the workers of all pods whose uid is not in the set. */
  cleanUp(wanted: ReadonlySet<string>): void;
  /** Last published result of a container instance. */
  result(kind: ProbeKind, containerId: string): ProbeResult | undefined;
  /** Sets `ready` and `started` (prober_manager.go UpdatePodStatus); can trigger readiness probes. */
  updateStatus(pod: Pod, status: PodApiStatus): PodApiStatus;
}

/** Published when a probe's result of a container instance changes. */
export interface ProbeUpdate {
  readonly kind: ProbeKind;
  readonly uid: string;
  readonly containerId: string;
  readonly result: ProbeResult;
}

/** Makes sure that a container's image is present (images/image_manager.go): pull policy, back-off, events. */
export interface ImageManager {
  /**
   * Calls ImageStatus, and if necessary PullImage and ImageStatus again. Resolves with the image's id; throws
   * `StartError` with a reason such as ErrImagePull.
   */
  ensure(pod: Pod, container: ContainerSpec, sandbox: unknown): Promise<string>;
  /** A sync of the pod ended with a failed pull: pull secrets that do not exist are an event (≥ 1.37). */
  pullFailed(pod: Pod): Promise<void>;
}

/** Why a container could not start: its waiting reason and message. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly reason: string;
  /** End of the back-off that caused it, Unix nanoseconds (≥ 1.35 requeues at this time). */
  readonly backOffExpires: bigint | undefined;

  constructor(reason: string, message: string, backOffExpires?: bigint) {
    super(message);
    this.reason = reason;
    this.backOffExpires = backOffExpires;
  }
}

/** flowcontrol.Backoff. Durations are milliseconds, instants Unix nanoseconds. */
export interface BackOff {
  next(id: string, event: bigint): void;
  isInBackOffSince(id: string, event: bigint): boolean;
  isInBackOffSinceUpdate(id: string, event: bigint): boolean;
  /** The current delay in ms; 0 when there is none. */
  get(id: string): number;
  gc(): void;
}
