/** Handed to every operation. When `signal` aborts, the operation undoes what it did and rejects, or completes. */
export interface BackendCall {
  readonly signal: AbortSignal;
  /** In stopSandbox, whether the sandbox is stopped because it is removed. */
  readonly isRemoval?: boolean;
}
