import type { Pod } from './kubernetes/pod.js';
import type { PodApiStatus } from './kubernetes/pod-status.js';
import type { KubeEvent } from './types/ports.js';

/** A directory of manifests, a scenario, or an API server. */
export interface PodSource {
  /** Delivers all wanted pods immediately and after each change. The returned function stops it; it can start again. */
  start(deliver: (pods: readonly Pod[]) => void): () => void;
}

export interface StatusSink {
  status(pod: Pod, status: PodApiStatus): void;
  /** Status of a pod that is no longer wanted but still stopping. Only the object of a static pod can show it. */
  ending?(pod: Pod, status: PodApiStatus): void;
  /**
   * All containers of the pod have stopped for good, and the last status was delivered: only now may the API show a
   * terminal phase, and delete the object of a deleted pod.
   */
  finished?(pod: Pod): void;
}

export interface EventSink {
  event(event: KubeEvent): void;
}
