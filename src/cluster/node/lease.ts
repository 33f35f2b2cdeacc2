import type { Clock } from '../../base/clock/clock.js';
import { toMicroTime } from '../../kubelet/kubernetes/time.js';
import type { ApiClient } from '../api/api-client.js';
import { isConflict, isNotFound } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';

export interface LeaseOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly node: string;
  readonly seconds: number;
  /** The uid of the node's object; undefined until it is registered. */
  readonly uid: () => string | undefined;
}

interface ApiLease {
  readonly metadata: { readonly resourceVersion: string };
}

const NAMESPACE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/**
 * Heartbeat of a node (component-helpers lease/controller.go). Returns a function that renews it; renewals requested
 * while another waits for an unreachable API server are merged. After a failure, the next renewal tries again.
 */
export function createLease({ api, clock, node, seconds, uid }: LeaseOptions): () => void {
  const path = NAMESPACE + apiPath`/${node}`;
  let version: string | undefined;
  let underWay = false;

  const body = (resourceVersion: string | undefined) => () => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: node,
      namespace: 'kube-node-lease',
      ...(resourceVersion !== undefined && { resourceVersion }),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid: uid() }],
    },
    spec: { holderIdentity: node, leaseDurationSeconds: seconds, renewTime: toMicroTime(clock.now()) },
  });
  const heartbeat = { priority: 'heartbeat' } as const;
  const keep = (answer: unknown): void => {
    version = (answer as ApiLease).metadata.resourceVersion;
  };

  const renew = async (): Promise<void> => {
    if (version !== undefined) {
      keep(await api.request({ method: 'PUT', path, body: body(version), ...heartbeat }));
      return;
    }
    try {
      keep(await api.request({ method: 'POST', path: NAMESPACE, body: body(undefined), ...heartbeat }));
    } catch (error) {
      if (!isConflict(error)) throw error;
      keep(await api.request({ method: 'GET', path, ...heartbeat }));
      keep(await api.request({ method: 'PUT', path, body: body(version), ...heartbeat }));
    }
  };

  return () => {
    if (underWay || uid() === undefined) return;
    underWay = true;
    clock
      .run(renew)
      .catch((error: unknown) => {
        // Somebody else changed or removed it.
        if (isConflict(error) || isNotFound(error)) version = undefined;
      })
      .finally(() => {
        underWay = false;
      });
  };
}
