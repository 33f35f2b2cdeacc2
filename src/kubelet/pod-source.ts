import type { Pod } from './types.js';

/** Where the wanted pods come from: a directory of manifests, or a scenario. */
export interface PodSource {
  /**
   * Hands over all wanted pods, at once and whenever they change. The function that it returns ends that; it may be
   * started again.
   */
  start(deliver: (pods: readonly Pod[]) => void): () => void;
}
