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

interface Dependent {
  readonly metadata: Pick<Pod['metadata'], 'uid' | 'ownerReferences' | 'deletionTimestamp'> & {
    readonly namespace?: string;
  };
}

/** In ms, between two checks. */
const PERIOD = 500;

/**
 * Does what controllers do after a node or an owner is deleted, where there are none: the node lifecycle controller,
 * the pod garbage collector and the garbage collector of dependents, for the pods of these nodes.
 */
export function createCollector({ api, clock, signal, nodes, pods, log }: CollectOptions) {
  const known = new Map<string, ApiNode>();
  const collect = createOwnerCollector(api);
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
      api,
      apiPath`/api/v1/nodes/${name}`,
      conditions.map(({ type }) => ({ type, ...silent })),
    );
    const notReady = { type: 'Ready', status: 'False', lastTransitionTime };
    for (const pod of podsOf(name))
      if (!isTerminal(pod.status?.phase)) await patchStatus(api, pathOf(pod), [notReady]);
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
      const gone = new Map<string, boolean>();
      for (const pod of pods()) await attempt(() => collect(pathOf(pod), pod, gone));
      await clock.sleep(PERIOD, signal).catch(() => {});
    }
  });

  return {
    nodeSeen: (object: ApiNode): void => void known.set(object.metadata.name, object),
    /** gc_controller.go: pods of a node that does not exist are deleted without grace. */
    nodeGone: (name: string): void => {
      known.delete(name);
      for (const pod of podsOf(name))
        void clock.run(() =>
          attempt(() => remove(api, pathOf(pod), pod.metadata.uid, { gracePeriodSeconds: 0 })),
        );
    },
  };
}

const pathOf = ({ metadata: { namespace, name } }: Pod): string =>
  apiPath`/api/v1/namespaces/${namespace}/pods/${name}`;

const patchStatus = (api: ApiClient, path: string, conditions: readonly object[]): Promise<unknown> =>
  api.request({
    method: 'PATCH',
    path: `${path}/status`,
    type: 'application/strategic-merge-patch+json',
    body: () => ({ status: { conditions } }),
  });

async function remove(api: ApiClient, path: string, uid: string, grace: object = {}): Promise<void> {
  const propagationPolicy = 'Background';
  const body = {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    propagationPolicy,
    ...grace,
    preconditions: { uid },
  };
  await api.request({ method: 'DELETE', path, body: () => body });
}

/** `gone` has the owners that are known to exist or not, by uid. */
type CollectOwned = (path: string, object: Dependent, gone: Map<string, boolean>) => Promise<void>;

/**
 * Deletes an object when all its owners are gone (garbagecollector.go attemptToDeleteItem), and before that an owner
 * of it whose own owners are gone.
 */
function createOwnerCollector(api: ApiClient): CollectOwned {
  const kinds = createKinds(api);

  /** Where the object of this reference is, if it exists; undefined for a kind that the API server doesn't have. */
  const find = async (namespace: string, { apiVersion, kind, name, uid }: Owner) => {
    const resource = await kinds(apiVersion, kind);
    if (resource === undefined) return undefined;
    const scope = resource.namespaced ? apiPath`/namespaces/${namespace}` : '';
    const path = `${groupPath(apiVersion)}${scope}${apiPath`/${resource.name}/${name}`}`;
    try {
      const found = (await api.request({ method: 'GET', path, answer: 'metadata' })) as Dependent;
      return { path, object: found.metadata.uid === uid ? found : undefined };
    } catch (error) {
      if (isNotFound(error)) return { path, object: undefined };
      throw error;
    }
  };

  const collect: CollectOwned = async (path, { metadata }, gone) => {
    const { ownerReferences = [], namespace = '', deletionTimestamp, uid } = metadata;
    if (ownerReferences.length === 0 || deletionTimestamp !== undefined) return;
    for (const owner of ownerReferences) {
      if (!gone.has(owner.uid)) {
        // Until it is known, so that owners in a circle end.
        gone.set(owner.uid, false);
        const found = await find(namespace, owner);
        if (found?.object !== undefined) await collect(found.path, found.object, gone);
        else gone.set(owner.uid, found !== undefined);
      }
      if (!gone.get(owner.uid)) return;
    }
    await remove(api, path, uid);
  };
  return collect;
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
