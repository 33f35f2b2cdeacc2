/** Passed to every operation. When `signal` aborts, the operation undoes its changes and rejects, or completes. */
export interface BackendCall {
  readonly signal: AbortSignal;
  /** In stopSandbox: whether a removal stops the sandbox. */
  readonly isRemoval?: boolean;
}
