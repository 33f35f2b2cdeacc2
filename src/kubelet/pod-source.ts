import type { Pod } from './types.js';

/** Source of the wanted pods: a directory of manifests, or a scenario. */
export interface PodSource {
  /**
   * Delivers all wanted pods immediately and after each change. The returned function stops it; it can start again.
   */
  start(deliver: (pods: readonly Pod[]) => void): () => void;
}
