import type { Pod } from '../kubernetes/pod.js';
import type { ResourceRecord } from '../resources/resource-record.js';
import { isSameResources, resizable, withResources } from '../resources/sizes.js';
import type { KubeletVersion } from '../types/version.js';

/**
 * Resources allocated to pods (allocation_manager.go): a pod runs with these, not with its specification's requests.
 */
export interface Allocations {
  /** The pod with its allocated resources; the same object if they equal the specification or nothing is recorded. */
  of(pod: Pod): Pod;
  set(pod: Pod): void;
  remove(uid: string): void;
}

/** Kubelets before 1.33 allocate nothing. */
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
