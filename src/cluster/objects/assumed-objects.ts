import { z } from 'zod';
import type { Clock } from '../../base/clock/clock.js';
import { forgetOldest } from '../../base/input/forget-oldest.js';
import type { KubeObjects } from '../../kubelet/index.js';
import { dataReferences } from '../../kubelet/kubernetes/data-objects.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { ApiClient } from '../api/api-client.js';
import { createReviewCache } from '../kubelet-server/review-cache.js';

/** In ms: how long a ConfigMap or Secret may be missing before it is assumed: somebody may be about to create it. */
const PATIENCE = 8000;
/** How long to reuse an answer about an account's rights, in ms. */
const GOOD = 60_000;
/** Maximum number of remembered missing objects. */
const MOST = 500;

const PLACEHOLDER = Buffer.from('placeholder');

const accessReview = z.object({ status: z.object({ allowed: z.boolean() }) });

interface Parts {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly hub: { pods(): readonly Pod[]; accounts(namespace: string): readonly string[] };
  readonly log: (message: string) => void;
}

/**
 * Replaces a missing ConfigMap or Secret by placeholder data if a pod of its namespace runs, or ran, as an account that
 * may create it: that pod's program would, as argo-cd's and ingress-nginx's do, but programs of unknown images are not
 * simulated. Otherwise it stays missing, as in a real cluster.
 */
export function assumeObjects(
  read: KubeObjects['data'],
  { api, clock, hub, log }: Parts,
): KubeObjects['data'] {
  const missing = new Map<string, number>();

  const rights = createReviewCache(
    clock,
    async (question) =>
      accessReview.parse(
        await api.request({
          method: 'POST',
          path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
          body: () => JSON.parse(question),
        }),
      ).status.allowed,
    () => GOOD,
  );

  /** If the API server does not say, the object stays missing. */
  const mayCreate = (user: string, namespace: string, resource: string): Promise<boolean> => {
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    const resourceAttributes = { verb: 'create', version: 'v1', resource, namespace };
    const spec = { user, groups, resourceAttributes };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec };
    return rights.get(JSON.stringify(review)).catch(() => false);
  };

  const isOverdue = (key: string): boolean => {
    const since = missing.get(key) ?? clock.elapsed();
    missing.set(key, since);
    forgetOldest(missing, MOST);
    return clock.elapsed() - since >= PATIENCE;
  };

  return async (kind, namespace, name) => {
    const data = await read(kind, namespace, name);
    const key = `${kind} ${namespace}/${name}`;
    if (data !== undefined) missing.delete(key);
    if (data !== undefined || !isOverdue(key)) return data;
    const wanted = hub
      .pods()
      .filter((pod) => pod.metadata.namespace === namespace)
      .flatMap(({ spec }) => dataReferences(spec))
      .filter((reference) => reference.kind === kind && reference.name === name && !reference.isOptional);
    if (wanted.length === 0) return undefined;
    for (const account of hub.accounts(namespace)) {
      const user = `system:serviceaccount:${namespace}:${account}`;
      if (!(await mayCreate(user, namespace, `${kind.toLowerCase()}s`))) continue;
      log(`${key} does not exist; pods get placeholder data, because ${user} may create it`);
      return new Map(wanted.flatMap(({ keys }) => keys).map((each) => [each, PLACEHOLDER]));
    }
    return undefined;
  };
}
