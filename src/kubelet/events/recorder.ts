import type { Clock } from '../../clock/clock.js';
import type { ContainerSpec, KubeEvent, Pod, Recorder } from '../types.js';

/**
 * Hands every event to `sink` as it happens. Like a kubelet that logs its events, it neither counts nor aggregates:
 * an event that is repeated is there as often as it was recorded.
 */
export function createRecorder(clock: Clock, sink: (event: KubeEvent) => void): Recorder {
  let sequence = 0;
  return {
    event: (pod, type, reason, message, container) =>
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
      }),
  };
}

/** `spec.containers{app}` (container/ref.go); by name, as the pod may have been read anew since. */
function fieldPath({ spec }: Pod, { name }: ContainerSpec): string {
  const list = spec.containers.some((each) => each.name === name) ? 'containers' : 'initContainers';
  return `spec.${list}{${name}}`;
}
