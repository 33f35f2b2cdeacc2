import type { z } from 'zod';
import type { ContainerSpec } from '../../kubelet/kubernetes/container.js';
import type { Handler } from '../../kubelet/kubernetes/handler.js';
import { isNodeHosts, ownVolumes } from '../../kubelet/kubernetes/own-volumes.js';
import { apiPodSchema, type Pod } from '../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../kubelet/kubernetes/pod-status.js';
import { type PodStatusJson, podStatusSchema } from '../../kubelet/kubernetes/pod-status.js';
import type { ApiObject } from '../api/watch-objects.js';
import { toLocalAddress } from './pod-address.js';

/** v1.Pod from the API server, before validation. */
export type ApiPod = ApiObject & z.input<typeof apiPodSchema>;

/**
 * Converts a pod of the API server for this machine's kubelet: its addresses become local, and host directories become
 * empty ones of the pod, because a simulated node must not touch this machine's files. Throws InputError for a pod that
 * Kubernetes would not allow.
 */
export function podFromApi(object: ApiPod): Pod {
  const { metadata, spec, status } = checked(apiPodSchema, object);
  return {
    source: 'api',
    metadata,
    spec: {
      ...spec,
      // The API server admitted the pod, so the class exists; the node's runtime is its handler.
      runtimeClassName: undefined,
      initContainers: spec.initContainers.map(local),
      containers: spec.containers.map(local),
      volumes: spec.volumes.flatMap((volume) => (isNodeHosts(volume) ? volume : ownVolumes([volume]))),
    },
    status: status && withLocalAddresses(status),
  };
}

/**
 * Converts a pod after a change that left its specification unchanged, without checking the specification again, which
 * is most of the work. Throws InputError.
 */
export const withMetadata = (pod: Pod, { metadata, status }: ApiPod): Pod => ({
  ...pod,
  metadata: checked(apiPodSchema.shape.metadata, metadata),
  // Others set the conditions of readiness gates.
  ...(pod.spec.readinessGates !== undefined && status !== undefined && { status: statusFromApi(status) }),
});

/** Converts a pod's API status for its kubelet. Throws InputError. */
export const statusFromApi = (status: PodStatusJson): PodApiStatus =>
  withLocalAddresses(checked(podStatusSchema, status));

function checked<S extends z.ZodType>(schema: S, object: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(object);
  if (success) return data;
  const texts = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(texts.slice(0, MOST_PROBLEMS).join('; '));
}

const MOST_PROBLEMS = 5;

const withLocalAddresses = (status: PodApiStatus): PodApiStatus => ({
  ...status,
  podIPs: status.podIPs.map(toLocalAddress),
});

function local<C extends ContainerSpec>(container: C): C {
  const { livenessProbe: liveness, readinessProbe: readiness, startupProbe: startup, lifecycle } = container;
  const { preStop, postStart } = lifecycle ?? {};
  return {
    ...container,
    ...(liveness && { livenessProbe: atLocal(liveness) }),
    ...(readiness && { readinessProbe: atLocal(readiness) }),
    ...(startup && { startupProbe: atLocal(startup) }),
    ...(lifecycle && {
      lifecycle: {
        ...(preStop && { preStop: atLocal(preStop) }),
        ...(postStart && { postStart: atLocal(postStart) }),
      },
    }),
  };
}

const atLocal = <H extends Handler>({ httpGet, tcpSocket, ...handler }: H) => ({
  ...handler,
  ...(httpGet && { httpGet: { ...httpGet, host: httpGet.host && toLocalAddress(httpGet.host) } }),
  ...(tcpSocket && { tcpSocket: { ...tcpSocket, host: tcpSocket.host && toLocalAddress(tcpSocket.host) } }),
});
