import type { Clock } from '../../base/clock/clock.js';
import { millisToNanos } from '../../base/clock/clock.js';
import { formatDuration } from '../../base/input/duration.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import { type BackOff, type Recorder, StartError } from '../types/ports.js';
import type { PodIdentity } from '../types/reports.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import type { KubeletVersion } from '../types/version.js';
import { createBackOff } from './backoff.js';
import { backOffKey, formatPod } from './keys.js';

const SECOND = 1000;

/** An entry expires when its last renewal is older than this (kubelet.go, fixed since 1.32). */
const CRASH_LOOP_EXPIRY = 600 * SECOND;

/** Every restart doubles the delay from `initial` up to `max`, both in ms. */
export interface CrashLoopLimits {
  readonly initial: number;
  readonly max: number;
}

/**
 * newCrashLoopBackOff (kubelet.go): 10 s to 300 s; 1 s to 60 s with ReduceDefaultCrashLoopBackOffDecay (KEP-4603).
 * With KubeletCrashLoopBackOffMax the configured maximum always wins. Its default is 300 s, so the reduced decay then
 * gives 1 s to 300 s. `configuredMax` is crashLoopBackOff.maxContainerRestartPeriod in ms.
 */
export function crashLoopLimits(
  gates: Pick<KubeletVersion['gates'], 'ReduceDefaultCrashLoopBackOffDecay' | 'KubeletCrashLoopBackOffMax'>,
  configuredMax = 300 * SECOND,
): CrashLoopLimits {
  const reduced = gates.ReduceDefaultCrashLoopBackOffDecay;
  const limits = reduced
    ? { initial: SECOND, max: 60 * SECOND }
    : { initial: 10 * SECOND, max: 300 * SECOND };
  if (!gates.KubeletCrashLoopBackOffMax) return limits;
  return { initial: Math.min(limits.initial, configuredMax), max: configuredMax };
}

/** The kubelet's crashBackOff: one entry per container, no jitter. Entries expire after 600 s for any limits. */
export function createCrashLoopBackOff(clock: Clock, limits: CrashLoopLimits): BackOff {
  return createBackOff({ clock, ...limits, expiry: CRASH_LOOP_EXPIRY });
}

export interface BackOffDecision {
  readonly pod: PodIdentity;
  readonly container: string;
  /** When the dead instance that the decision uses ended, in Unix nanoseconds; undefined without one. */
  readonly finishedAt: bigint | undefined;
  /** In ms, at the time of the decision; 0 without an entry. */
  readonly delay: number;
  readonly waits: boolean;
}

export interface CrashLoopCheck {
  readonly backOff: BackOff;
  readonly version: KubeletVersion;
  readonly recorder: Recorder;
  readonly decided?: ((decision: BackOffDecision) => void) | undefined;
}

/**
 * doBackOff (kuberuntime_manager.go): throws a CrashLoopBackOff while the newest dead instance of the container ended
 * too recently; otherwise renews the entry. Without a dead instance there is no renewal, so the first restart is
 * immediate.
 */
export function checkCrashLoop(
  check: CrashLoopCheck,
  pod: Pod,
  container: ContainerSpec,
  status: RuntimePodStatus,
): void {
  const dead = status.containers.find((each) => each.name === container.name && each.state === 'exited');
  const key = backOffKey(pod, container, check.version);
  const delay = check.backOff.get(key);
  const waits = dead !== undefined && check.backOff.isInBackOffSince(key, dead.finishedAt);
  const { name, namespace, uid } = pod.metadata;
  const subject = { pod: { name, namespace, uid }, container: container.name };
  check.decided?.({ ...subject, finishedAt: dead?.finishedAt, delay, waits });
  if (dead === undefined) return;
  if (!waits) {
    check.backOff.next(key, dead.finishedAt);
    return;
  }
  check.recorder.event(
    pod,
    'Warning',
    'BackOff',
    `Back-off restarting failed container ${container.name} in pod ${formatPod(pod)}`,
    container,
  );
  throw new StartError(
    'CrashLoopBackOff',
    `back-off ${formatDuration(delay)} restarting failed container=${container.name} pod=${formatPod(pod)}`,
    dead.finishedAt + millisToNanos(delay),
  );
}
