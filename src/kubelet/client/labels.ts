import type { ContainerSpec } from '../kubernetes/container.js';
import type { Handler } from '../kubernetes/handler.js';
import type { Pod } from '../kubernetes/pod.js';

/** Keys that the kubelet writes on runtime objects and reads back (kuberuntime/labels.go). */
export const POD_NAME = 'io.kubernetes.pod.name';
export const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
/** A sandbox also has the uid in its metadata, which takes precedence. */
export const POD_UID = 'io.kubernetes.pod.uid';
export const CONTAINER_NAME = 'io.kubernetes.container.name';
const HASH = 'io.kubernetes.container.hash';
const RESTART_COUNT = 'io.kubernetes.container.restartCount';
const MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';
const MESSAGE_POLICY = 'io.kubernetes.container.terminationMessagePolicy';
const PRE_STOP = 'io.kubernetes.container.preStopHandler';
const PORTS = 'io.kubernetes.container.ports';
const DELETION_GRACE = 'io.kubernetes.pod.deletionGracePeriod';
const TERMINATION_GRACE = 'io.kubernetes.pod.terminationGracePeriod';

type Strings = Readonly<Record<string, string>>;

export function sandboxLabels({ metadata }: Pod): Record<string, string> {
  return {
    ...metadata.labels,
    [POD_NAME]: metadata.name,
    [POD_NAMESPACE]: metadata.namespace,
    [POD_UID]: metadata.uid,
  };
}

/** newContainerLabels: only the kubelet's labels, none of the pod's. */
export function containerLabels({ metadata }: Pod, container: ContainerSpec): Record<string, string> {
  return {
    [CONTAINER_NAME]: container.name,
    [POD_NAME]: metadata.name,
    [POD_NAMESPACE]: metadata.namespace,
    [POD_UID]: metadata.uid,
  };
}

/** newContainerAnnotations. `hash` comes from `hashContainer`; grace periods are seconds. */
export function containerAnnotations(
  pod: Pod,
  container: ContainerSpec,
  hash: string,
  restartCount: number,
): Record<string, string> {
  const grace = pod.metadata.deletionGracePeriodSeconds;
  return {
    [HASH]: hash,
    [RESTART_COUNT]: String(restartCount),
    [MESSAGE_PATH]: container.terminationMessagePath,
    [MESSAGE_POLICY]: container.terminationMessagePolicy,
    [TERMINATION_GRACE]: String(pod.spec.terminationGracePeriodSeconds),
    ...(grace === undefined ? {} : { [DELETION_GRACE]: String(grace) }),
    ...(container.lifecycle?.preStop ? { [PRE_STOP]: goHandler(container.lifecycle.preStop) } : {}),
    ...(container.ports.length > 0 ? { [PORTS]: goPorts(container.ports) } : {}),
  };
}

/** v1.LifecycleHandler as Go encodes it: omits empty fields. */
const goHandler = (handler: Handler): string =>
  JSON.stringify(handler, (key, value) => (key === 'httpHeaders' && value.length === 0 ? undefined : value));

/** []v1.ContainerPort in Go's field order. */
const goPorts = (ports: ContainerSpec['ports']): string =>
  JSON.stringify(
    ports.map(({ name, hostPort, containerPort, protocol, hostIP }) => ({
      name: name || undefined,
      hostPort: hostPort || undefined,
      containerPort,
      protocol,
      hostIP: hostIP || undefined,
    })),
  );

/**
 * Container annotations that the kubelet reads back. Only garbage collection uses the grace periods (in seconds) and
 * preStop; otherwise they come from the pod's specification, even for a pod that only the runtime knows, whose
 * specification has none (container/runtime.go ToAPIPod).
 */
export interface ContainerNotes {
  readonly hash: string;
  readonly restartCount: number;
  readonly terminationMessagePath: string;
  readonly terminationMessagePolicy: string;
  readonly deletionGrace: number | undefined;
  readonly terminationGrace: number | undefined;
  /** v1.LifecycleHandler as JSON, or empty. */
  readonly preStop: string;
}

/** getContainerInfoFromAnnotations: never throws; missing or unreadable values are empty or 0. */
export function readNotes(annotations: Strings): ContainerNotes {
  return {
    hash: annotations[HASH] ?? '',
    restartCount: Number.parseInt(annotations[RESTART_COUNT] ?? '', 10) || 0,
    terminationMessagePath: annotations[MESSAGE_PATH] ?? '',
    terminationMessagePolicy: annotations[MESSAGE_POLICY] ?? '',
    deletionGrace: seconds(annotations[DELETION_GRACE]),
    terminationGrace: seconds(annotations[TERMINATION_GRACE]),
    preStop: annotations[PRE_STOP] ?? '',
  };
}

const seconds = (text = ''): number | undefined => (/^-?\d+$/.test(text) ? Number(text) : undefined);
