import type { PodApiStatus } from '../kubernetes/pod-status.js';
import { isTerminal } from './phase.js';

/** How a pod ended. */
interface End {
  readonly phase?: PodApiStatus['phase'] | undefined;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The status of a pod whose containers may still run: without its end, unless the API has one (status_manager.go mergePodStatus). */
export function withoutEarlyEnd<S extends End>(before: End | undefined, made: S): S {
  if (isTerminal(before?.phase) || !isTerminal(made.phase)) return made;
  return { ...made, phase: before?.phase ?? 'Pending', reason: before?.reason, message: before?.message };
}
