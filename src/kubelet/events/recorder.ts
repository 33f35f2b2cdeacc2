import type { Clock } from '../../base/clock/clock.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import type { KubeEvent, Recorder } from '../types/ports.js';

/** Like a kubelet's log, it neither counts nor aggregates events: a repeated event appears each time. */
export function createRecorder(clock: Clock, sink: (event: KubeEvent) => void): Recorder {
  let sequence = 0;
  return {
    event: (pod, type, reason, message, container, facts) =>
      sink({
        time: clock.now(),
        sequence: ++sequence,
        uid: pod.metadata.uid,
        pod: pod.metadata.name,
        namespace: pod.metadata.namespace,
        field: container === undefined ? '' : fieldPath(pod, container),
        type,
        reason,
        message,
        ...(facts && { facts }),
      }),
  };
}

/** `spec.containers{app}` (container/ref.go). Compares names, because the pod may have been reread. */
function fieldPath({ spec }: Pod, { name }: ContainerSpec): string {
  const has = (list: readonly ContainerSpec[] = []) => list.some((each) => each.name === name);
  const list = has(spec.containers)
    ? 'containers'
    : has(spec.ephemeralContainers)
      ? 'ephemeralContainers'
      : 'initContainers';
  return `spec.${list}{${name}}`;
}
