import { statusOf } from '../decisions/restart.js';
import type { Pod } from '../kubernetes/pod.js';
import type { ResourceRecord } from '../resources/resource-record.js';
import { isSameSize, sizesOf } from '../resources/sizes.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';

/**
 * IsPodResizeInProgress: a running container or sidecar has an allocation that the runtime has not received yet. Other
 * containers get theirs when they start.
 */
export function isResizing(
  { metadata, spec }: Pod,
  status: RuntimePodStatus,
  actuated: ResourceRecord,
): boolean {
  const sidecars = spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...spec.containers].some(({ name, resources }) => {
    const known = actuated.get(metadata.uid, name);
    if (known === undefined || statusOf(status, name)?.state !== 'running') return false;
    return !isSameSize(sizesOf(known), sizesOf(resources));
  });
}
