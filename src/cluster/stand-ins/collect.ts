import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { isTerminal } from '../../kubelet/index.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { toTime } from '../../kubelet/kubernetes/time.js';
import type { ApiClient } from '../api/api-client.js';
import { isConflict, isNotFound } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import type { ClusterNode } from '../node/cluster-node.js';
import type { ApiNode } from '../node/node-object.js';

export interface CollectOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly nodes: () => readonly ClusterNode[];
  /** The pods of these nodes. */
  readonly pods: () => readonly Pod[];
  readonly log: (message: string) => void;
}

type Owner = NonNullable<Pod['metadata']['ownerReferences']>[number];

/** In ms, between two checks. */
const PERIOD = 500;

/**
 * Does what controllers do after a node or an owner is deleted, where there are none: the node lifecycle controller,
 * the pod garbage collector and the garbage collector of dependents, for the pods of these nodes.
 */
export function createCollector({ api, clock, signal, nodes, pods, log }: CollectOptions) {
  const known = new Map<string, ApiNode>();
  const kinds = createKinds(api);

  const patchStatus = (path: string, conditions: readonly object[]) =>
    api.request({
      method: 'PATCH',
      path: `${path}/status`,
      type: 'application/strategic-merge-patch+json',
      body: () => ({ status: { conditions } }),
    });

  const remove = async ({ metadata: { namespace, name, uid } }: Pod, grace: object): Promise<void> => {
    await api.request({
      method: 'DELETE',
      path: apiPath`/api/v1/namespaces/${namespace}/pods/${name}`,
      body: () => ({ kind: 'DeleteOptions', apiVersion: 'v1', ...grace, preconditions: { uid } }),
    });
  };

  const podsOf = (node: string) => pods().filter(({ spec }) => spec.nodeName === node);

  /** node_lifecycle_controller.go, without its patience of 50 s. */
  const markSilent = async ({ name }: ClusterNode): Promise<void> => {
    const conditions = known.get(name)?.status?.conditions ?? [];
    if (conditions.every(({ status }) => status === 'Unknown')) return;
    const lastTransitionTime = toTime(clock.now());
    const silent = {
      status: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: 'Kubelet stopped posting node status.',
      lastTransitionTime,
    };
    await patchStatus(
      apiPath`/api/v1/nodes/${name}`,
      conditions.map(({ type }) => ({ type, ...silent })),
    );
    const notReady = { type: 'Ready', status: 'False', lastTransitionTime };
    for (const { metadata, status } of podsOf(name)) {
      if (isTerminal(status?.phase)) continue;
      const { namespace, name: pod } = metadata;
      await patchStatus(apiPath`/api/v1/namespaces/${namespace}/pods/${pod}`, [notReady]);
    }
  };

  const isGone = async (namespace: string, { apiVersion, kind, name, uid }: Owner): Promise<boolean> => {
    const resource = await kinds(apiVersion, kind);
    if (resource === undefined) return false;
    const scope = resource.namespaced ? apiPath`/namespaces/${namespace}` : '';
    const path = `${groupPath(apiVersion)}${scope}${apiPath`/${resource.name}/${name}`}`;
    try {
      const found = (await api.request({ method: 'GET', path, answer: 'metadata' })) as ApiNode;
      return found.metadata.uid !== uid;
    } catch (error) {
      if (isNotFound(error)) return true;
      throw error;
    }
  };

  /** A pod is deleted when all its owners are gone (garbagecollector.go attemptToDeleteItem). */
  const collectDependents = async (): Promise<void> => {
    const asked = new Map<string, Promise<boolean>>();
    const once = (namespace: string, owner: Owner) => {
      const key = `${namespace}/${owner.uid}`;
      const gone = asked.get(key) ?? isGone(namespace, owner);
      asked.set(key, gone);
      return gone;
    };
    for (const pod of pods()) {
      const { ownerReferences = [], namespace, deletionTimestamp } = pod.metadata;
      if (ownerReferences.length === 0 || deletionTimestamp !== undefined) continue;
      const gone = await Promise.all(ownerReferences.map((owner) => once(namespace, owner)));
      if (gone.every((each) => each)) await remove(pod, {});
    }
  };

  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error) && !signal.aborted) log(`--collect: ${messageOf(error)}`);
    }
  };

  void clock.run(async () => {
    while (!signal.aborted) {
      for (const node of nodes()) if (!node.up) await attempt(() => markSilent(node));
      await attempt(collectDependents);
      await clock.sleep(PERIOD, signal).catch(() => {});
    }
  });

  return {
    nodeSeen: (object: ApiNode): void => void known.set(object.metadata.name, object),
    /** gc_controller.go: pods of a node that does not exist are deleted without grace. */
    nodeGone: (name: string): void => {
      known.delete(name);
      for (const pod of podsOf(name))
        void clock.run(() => attempt(() => remove(pod, { gracePeriodSeconds: 0 })));
    },
  };
}

const groupPath = (apiVersion: string): string =>
  apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;

interface Resource {
  readonly name: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Finds the resource of a kind by discovery; repeats the discovery for an unknown kind. */
function createKinds(api: ApiClient) {
  const known = new Map<string, readonly Resource[]>();
  const find = (apiVersion: string, wanted: string) =>
    known.get(apiVersion)?.find(({ kind, name }) => kind === wanted && !name.includes('/'));
  return async (apiVersion: string, kind: string): Promise<Resource | undefined> => {
    const found = find(apiVersion, kind);
    if (found !== undefined) return found;
    const path = groupPath(apiVersion);
    const { resources } = (await api.request({ method: 'GET', path })) as { resources: Resource[] };
    known.set(apiVersion, resources);
    return find(apiVersion, kind);
  };
}
