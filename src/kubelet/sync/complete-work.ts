import type { Clock } from '../../base/clock/clock.js';
import { jitter, type Random } from '../../base/random/random.js';
import { errorText } from '../client/errors.js';
import { SyncError } from '../runtime/sync-results.js';
import type { KubeletVersion } from '../types/version.js';

/** Delay after a failed sync (kubelet.go backOffPeriod), and after one that found the network not ready (ms). */
const BACK_OFF_PERIOD = 10_000;
const NETWORK_NOT_READY_PERIOD = 1000;
const JITTER = 0.5;

/** Settings for the next sync of a pod that has no updates (pod_workers.go completeWork). */
export interface RequeueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly version: KubeletVersion;
  /** ms. A successful sync repeats after 1 to 1.5 times this value; a failed one repeats no later (≥ 1.35). */
  readonly syncFrequency: number;
}

/** completeWork: delay (ms) until the next sync of a pod. `failure` is undefined after a successful sync. */
export function requeueDelay(
  { clock, random, version, syncFrequency }: RequeueOptions,
  failure: unknown,
): number {
  if (failure === undefined) return jitter(random, syncFrequency, JITTER);
  if (errorText(failure).includes('network is not ready')) {
    return jitter(random, NETWORK_NOT_READY_PERIOD, JITTER);
  }
  if (version.requeue === 'fixed') return jitter(random, BACK_OFF_PERIOD, JITTER);
  const expires = failure instanceof SyncError ? failure.backOffExpires : undefined;
  const left = expires === undefined ? BACK_OFF_PERIOD : Number(expires - clock.now()) / 1e6;
  return jitter(random, Math.min(Math.max(left, 0), syncFrequency), JITTER);
}

/** Delay until a static pod that waits for another pod of its name tries again (ms). */
export const retryDelay = (random: Random): number => jitter(random, BACK_OFF_PERIOD, JITTER);
