import type { PodApiStatus } from '../kubernetes/pod-status.js';
import { isTerminal } from './phase.js';

interface End {
  readonly phase?: PodApiStatus['phase'] | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** mergePodStatus (status_manager.go): hides a terminal phase the API lacks while containers may still run. */
export function withoutEarlyEnd<S extends End>(before: End | undefined, made: S): S {
  if (isTerminal(before?.phase) || !isTerminal(made.phase)) return made;
  return { ...made, phase: before?.phase ?? 'Pending', reason: before?.reason, message: before?.message };
}
