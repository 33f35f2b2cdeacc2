import type { EventSink } from '../../kubelet/pod-ports.js';
import type { EventPoster } from './event-poster.js';

/** Where the kubelet of a node sends the events of its pods. */
export function podEvents(events: EventPoster, node: string): EventSink {
  return {
    event: ({ uid, pod, namespace, field, type, reason, message, time }) =>
      events.post({
        subject: {
          kind: 'Pod',
          name: pod,
          namespace,
          uid,
          apiVersion: 'v1',
          ...(field !== '' && { fieldPath: field }),
        },
        node,
        type,
        reason,
        message,
        time,
      }),
  };
}
