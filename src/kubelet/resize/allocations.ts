import type { Pod } from '../kubernetes/pod.js';
import type { ResourceRecord } from '../resources/resource-record.js';
import { isSameResources, resizable, withResources } from '../resources/sizes.js';
import type { KubeletVersion } from '../types/version.js';

/** What a node has set aside for its pods (allocation_manager.go): a pod runs with this, whatever it asks for. */
export interface Allocations {
  /** The pod with the resources that it has; the same pod if it has what it asks for, or nothing is known of it. */
  of(pod: Pod): Pod;
  /** The pod gets what it asks for. */
  set(pod: Pod): void;
  remove(uid: string): void;
}

/** Kubelets before 1.33 set nothing aside. */
export function createAllocations(record: ResourceRecord, version: KubeletVersion): Allocations {
  return {
    of: (pod) => {
      const { uid } = pod.metadata;
      if (!record.has(uid)) return pod;
      const names = new Set(resizable(pod, version).map(({ name }) => name));
      return withResources(pod, ({ name, resources }) => {
        const allocated = names.has(name) ? record.get(uid, name) : undefined;
        if (allocated === undefined || allocated === resources) return undefined;
        return isSameResources(allocated, resources) ? undefined : allocated;
      });
    },
    set: (pod) => {
      if (!version.resizes) return;
      for (const { name, resources } of resizable(pod, version))
        record.set(pod.metadata.uid, name, resources);
    },
    remove: (uid) => record.remove(uid),
  };
}
