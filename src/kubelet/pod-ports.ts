import type { Pod } from './kubernetes/pod.js';
import type { PodApiStatus } from './kubernetes/pod-status.js';
import type { KubeEvent } from './types/ports.js';

/** Source of the wanted pods: a directory of manifests, a scenario, or an API server. */
export interface PodSource {
  /**
   * Delivers all wanted pods immediately and after each change. The returned function stops it; it can start again.
   */
  start(deliver: (pods: readonly Pod[]) => void): () => void;
}

/** What becomes of the pods' status. */
export interface StatusSink {
  /** A pod's status changed, or the pod's object did. */
  status(pod: Pod, status: PodApiStatus): void;
  /** The status of a pod that is no longer wanted and that still stops. Only the object of a static pod can show it. */
  ending?(pod: Pod, status: PodApiStatus): void;
  /**
   * Every container of the pod has stopped for good, and the last status was delivered: only now may the API show a
   * terminal phase, and the object of a deleted pod be removed.
   */
  finished?(pod: Pod): void;
}

/** Where events go, in the order in which they happen. */
export interface EventSink {
  event(event: KubeEvent): void;
}
