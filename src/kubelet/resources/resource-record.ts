import type { Resources } from '../kubernetes/resources.js';

/** Resources of the containers of pods, by the pod's uid and the container's name. */
export interface ResourceRecord {
  get(uid: string, container: string): Resources | undefined;
  has(uid: string): boolean;
  set(uid: string, container: string, resources: Resources): void;
  remove(uid: string): void;
  /** Removes all pods but these. */
  keep(uids: { has(uid: string): boolean }): void;
}

/** The record of one kubelet, in memory. */
export function createResourceRecord(): ResourceRecord {
  const pods = new Map<string, Map<string, Resources>>();
  return {
    get: (uid, container) => pods.get(uid)?.get(container),
    has: (uid) => pods.has(uid),
    set: (uid, container, resources) => {
      const containers = pods.get(uid) ?? new Map<string, Resources>();
      pods.set(uid, containers.set(container, resources));
    },
    remove: (uid) => {
      pods.delete(uid);
    },
    keep: (uids) => {
      for (const uid of pods.keys()) if (!uids.has(uid)) pods.delete(uid);
    },
  };
}

/** What a node remembers while its kubelet is restarted (allocated_pods_state and actuated_pods_state). */
export interface ResizeCheckpoints {
  /** What the node has set aside for its pods. */
  readonly allocated: ResourceRecord;
  /** What the runtime was last told of containers. */
  readonly actuated: ResourceRecord;
}

/** Those of a new node. */
export const createResizeCheckpoints = (): ResizeCheckpoints => ({
  allocated: createResourceRecord(),
  actuated: createResourceRecord(),
});
