import { toTime } from '../../kubelet/kubernetes/time.js';

export interface EventSubject {
  readonly kind: 'Pod' | 'Node';
  readonly name: string;
  readonly uid?: string;
  /** Empty for a node. */
  readonly namespace: string;
  readonly apiVersion?: 'v1';
  readonly fieldPath?: string;
}

export interface NodeEvent {
  readonly subject: EventSubject;
  readonly node: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** Unix nanoseconds. */
  readonly time: bigint;
}

/** v1.Event as the kubelet posts it (client-go tools/record makeEvent). */
export function eventObject(event: NodeEvent, name: string, message: string): object {
  const { subject, node, type, reason } = event;
  const time = toTime(event.time);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace: namespaceOf(subject) },
    involvedObject: subject,
    reason,
    message,
    type,
    source: { component: 'kubelet', host: node },
    reportingComponent: 'kubelet',
    reportingInstance: node,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

export const subjectKey = ({ kind, namespace, name, uid }: EventSubject): string =>
  `${kind}/${namespace}/${name}/${uid}`;

/** Events of nodes, which have no namespace, are in the default one. */
export const namespaceOf = ({ namespace }: EventSubject): string => namespace || 'default';
