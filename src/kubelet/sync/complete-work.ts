import type { Clock } from '../../clock/clock.js';
import { jitter, type Random } from '../../random/random.js';
import { errorText } from '../runtime/errors.js';
import { SyncError } from '../runtime/sync-results.js';
import type { VersionProfile } from '../types.js';

/** Delay after a failed sync, ms (kubelet.go backOffPeriod), and after one that found the network not ready. */
const BACK_OFF_PERIOD = 10_000;
const NETWORK_NOT_READY_PERIOD = 1000;
const JITTER = 0.5;

/** When a pod is synced again without anything new about it (pod_workers.go completeWork). */
export interface RequeueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly profile: VersionProfile;
  /** ms; a successful sync is repeated after 1 to 1.5 times this, a failed one no later (≥ 1.35). */
  readonly syncFrequency: number;
}

/** completeWork: how long (ms) until a pod is synced again after a sync that failed, or didn't (undefined). */
export function requeueDelay(
  { clock, random, profile, syncFrequency }: RequeueOptions,
  failure: unknown,
): number {
  if (failure === undefined) return jitter(random, syncFrequency, JITTER);
  if (errorText(failure).includes('network is not ready')) {
    return jitter(random, NETWORK_NOT_READY_PERIOD, JITTER);
  }
  if (profile.requeue === 'fixed') return jitter(random, BACK_OFF_PERIOD, JITTER);
  const expires = failure instanceof SyncError ? failure.backOffExpires : undefined;
  const left = expires === undefined ? BACK_OFF_PERIOD : Number(expires - clock.now()) / 1e6;
  return jitter(random, Math.min(Math.max(left, 0), syncFrequency), JITTER);
}

/** Until a static pod that has to wait for another of its name asks again (ms). */
export const retryDelay = (random: Random): number => jitter(random, BACK_OFF_PERIOD, JITTER);
