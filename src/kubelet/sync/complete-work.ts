import type { Clock } from '../../base/clock/clock.js';
import { jitter, type Random } from '../../base/random/random.js';
import { errorText } from '../client/errors.js';
import { SyncError } from '../runtime/sync-results.js';
import type { KubeletVersion } from '../types/version.js';

/** In ms: delay after a failed sync (kubelet.go backOffPeriod), or after one that found the network not ready. */
const BACK_OFF_PERIOD = 10_000;
const NETWORK_NOT_READY_PERIOD = 1000;
const JITTER = 0.5;

/** When to sync a pod again that has no updates (pod_workers.go completeWork). */
export interface RequeueOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly version: KubeletVersion;
  /** In ms. A successful sync repeats after 1 to 1.5 times this value; a failed one no later than this (≥ 1.35). */
  readonly syncFrequency: number;
}

/** completeWork: delay in ms until the next sync of a pod. `failure` is undefined after a successful sync. */
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

/** Delay in ms until a static pod that waits for another pod of its name tries again. */
export const retryDelay = (random: Random): number => jitter(random, BACK_OFF_PERIOD, JITTER);
