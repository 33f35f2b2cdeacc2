import type { Resources } from '../kubernetes/resources.js';

export interface ResourceRecord {
  get(uid: string, container: string): Resources | undefined;
  has(uid: string): boolean;
  set(uid: string, container: string, resources: Resources): void;
  remove(uid: string): void;
  /** Removes all pods except these. */
  keep(uids: { has(uid: string): boolean }): void;
}

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

/** State that survives a kubelet restart (allocated_pods_state and actuated_pods_state). */
export interface ResizeCheckpoints {
  readonly allocated: ResourceRecord;
  readonly actuated: ResourceRecord;
}

export const createResizeCheckpoints = (): ResizeCheckpoints => ({
  allocated: createResourceRecord(),
  actuated: createResourceRecord(),
});
