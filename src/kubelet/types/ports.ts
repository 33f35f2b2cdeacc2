import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';

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

export interface EventFacts {
  readonly image?: string | undefined;
  /** `present`: no pull was necessary; `refused`: the policy forbids one. */
  readonly pull?: 'begun' | 'succeeded' | 'failed' | 'present' | 'refused' | undefined;
  readonly probe?: ProbeKind | undefined;
}

/** `field` is empty for the pod itself. */
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

export interface ReasonCache {
  get(uid: string, container: string): { readonly reason: string; readonly message: string } | undefined;
}

/** A container has at most one probe of each kind. */
export type ProbeKind = 'liveness' | 'readiness' | 'startup';
/**
 * Decides a probe or a hook instead of running it; undefined runs it. A container without a readiness probe is not
 * ready while the verdict on it is a failure.
 */
export type Verdict = (
  pod: Pod,
  container: ContainerSpec,
  check: ProbeKind | 'postStart' | 'preStop',
) => 'success' | 'failure' | undefined;

/** results.Result (prober/results): `unknown` until the first result of a startup probe. */
export type ProbeResult = 'success' | 'failure' | 'unknown';

/** prober.Manager as the sync code sees it. `probes/` implements it. */
export interface ProbeManager {
  addPod(pod: Pod): void;
  stopLivenessAndStartup(pod: Pod): void;
  removePod(pod: Pod): void;
  /** When the pod is being terminated: cancels current and later commands of its probes. */
  cancel(uid: string): void;
  cleanUp(wanted: ReadonlySet<string>): void;
  result(kind: ProbeKind, containerId: string): ProbeResult | undefined;
  updateStatus(pod: Pod, status: PodApiStatus): PodApiStatus;
}

export interface ProbeUpdate {
  readonly kind: ProbeKind;
  readonly uid: string;
  readonly containerId: string;
  readonly result: ProbeResult;
}

/** images/image_manager.go. */
export interface ImageManager {
  /**
   * Makes sure that a container's image is present: pull policy, back-off, events. Resolves with the image's id; throws
   * `StartError` with a reason such as ErrImagePull.
   */
  ensure(pod: Pod, container: ContainerSpec, sandbox: unknown): Promise<string>;
  /** After a sync with a failed pull: records an event for missing pull secrets (≥ 1.37). */
  pullFailed(pod: Pod): Promise<void>;
}

/** Why a container could not start: its waiting reason and message. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly reason: string;
  /** End of the back-off that caused it, in Unix nanoseconds (≥ 1.35 requeues at this time). */
  readonly backOffExpires: bigint | undefined;

  constructor(reason: string, message: string, backOffExpires?: bigint) {
    super(message);
    this.reason = reason;
    this.backOffExpires = backOffExpires;
  }
}

/** flowcontrol.Backoff. Durations are in ms, times in Unix nanoseconds. */
export interface BackOff {
  next(id: string, event: bigint): void;
  isInBackOffSince(id: string, event: bigint): boolean;
  isInBackOffSinceUpdate(id: string, event: bigint): boolean;
  /** The current delay in ms; 0 without an entry. */
  get(id: string): number;
  gc(): void;
}
