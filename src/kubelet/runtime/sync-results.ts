import { StartError } from '../types/ports.js';

/** kubecontainer.SyncAction: the steps of a sync whose failures are distinguished. */
export type SyncAction =
  | 'KillContainer'
  | 'KillPodSandbox'
  | 'CreatePodSandbox'
  | 'ConfigPodSandbox'
  | 'StartContainer'
  | 'InitContainer'
  | 'RemoveContainer'
  | 'ResizePodInPlace';

/** One step of a sync (kubecontainer.SyncResult). */
export interface SyncResult {
  readonly action: SyncAction;
  readonly target: string;
  readonly failure?: StartError;
}

/** `backOffExpires` is the earliest end of a back-off, if any. */
export class SyncError extends Error {
  override readonly name = 'SyncError';
  readonly backOffExpires: bigint | undefined;

  constructor(message: string, backOffExpires?: bigint) {
    super(message);
    this.backOffExpires = backOffExpires;
  }
}

/** Steps of a sync in order. The error aggregates the failed steps. */
export class SyncResults {
  readonly steps: SyncResult[] = [];
  private syncFailure: string | undefined;

  succeed(action: SyncAction, target: string): void {
    this.steps.push({ action, target });
  }

  fail(action: SyncAction, target: string, failure: StartError): void {
    this.steps.push({ action, target, failure });
  }

  /** PodSyncResult.Fail: the sync failed outside of its steps. */
  failSync(text: string): void {
    this.syncFailure = text;
  }

  /** Undefined when every step succeeded. Texts as in sync_result.go. */
  error(): SyncError | undefined {
    const failed = this.steps.filter((step) => step.failure !== undefined);
    const texts = this.syncFailure === undefined ? [] : [`failed to SyncPod: ${this.syncFailure}`];
    for (const { action, target, failure } of failed) {
      const message = JSON.stringify(failure?.message);
      texts.push(`failed to "${action}" for "${target}" with ${failure?.reason}: ${message}`);
    }
    const unique = [...new Set(texts)];
    if (unique.length === 0) return undefined;
    const expiries = failed.flatMap(({ failure }) => failure?.backOffExpires ?? []);
    const [earliest] = expiries.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    return new SyncError(unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`, earliest);
  }
}

export function toFailure(reason: string, error: unknown, text: string): StartError {
  return error instanceof StartError ? error : new StartError(reason, text);
}
