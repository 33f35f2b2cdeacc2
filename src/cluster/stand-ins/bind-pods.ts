import { setMaxListeners } from 'node:events';
import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { type AdmittingNode, misfit } from '../../kubelet/index.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import { toTime } from '../../kubelet/kubernetes/time.js';
import type { ApiClient } from '../api/api-client.js';
import { isConflict, isNotFound } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import { type ApiPod, podFromApi } from '../objects/pod-from-api.js';
import { createReconciler } from '../reconciler.js';

/** A node that takes pods, with those of its pods that have not ended. */
export interface Candidate {
  readonly node: AdmittingNode;
  readonly pods: readonly Pod[];
}

export interface BinderOptions {
  readonly api: ApiClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly candidates: () => readonly Candidate[];
  readonly log: (message: string) => void;
}

/** Fields that only a scheduler reads. */
interface SchedulerFields {
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly object[];
}

/** In ms: when a pod that fits nowhere is tried again. */
const RETRY = 500;
/** In ms: how long a bound pod counts for a node that has not seen it yet. */
const ASSUMED = 30_000;

/** Binds pods without a node to the candidate with the fewest pods, where a scheduler is missing. */
export function createBinder({ api, clock, signal, candidates, log }: BinderOptions) {
  setMaxListeners(0, signal);
  const waiting = new Map<string, ApiPod>();
  const assumed = new Map<string, { readonly node: string; readonly pod: Pod; readonly until: number }>();

  const withAssumed = (): readonly Candidate[] => {
    const all = candidates();
    const known = new Set(all.flatMap(({ pods }) => pods.map(({ metadata }) => metadata.uid)));
    for (const [uid, { until }] of assumed)
      if (known.has(uid) || until < clock.elapsed()) assumed.delete(uid);
    const more = [...assumed.values()];
    return all.map(({ node, pods }) => ({
      node,
      pods: [...pods, ...more.flatMap((each) => (each.node === node.name ? [each.pod] : []))],
    }));
  };

  const bind = async (object: ApiPod, pod: Pod, node: string): Promise<void> => {
    const { name, namespace, uid } = pod.metadata;
    assumed.set(uid, { node, pod, until: clock.elapsed() + ASSUMED });
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    try {
      await api.request({
        method: 'POST',
        path: `${pathOf(object)}/binding`,
        body: () => ({ apiVersion: 'v1', kind: 'Binding', metadata: { name, namespace, uid }, target }),
      });
    } catch (error) {
      assumed.delete(uid);
      throw error;
    }
  };

  /** Shows why no node takes it, as kube-scheduler does. */
  const refuse = async (object: ApiPod, reasons: readonly string[]): Promise<void> => {
    const message = `0/${reasons.length} nodes are available: ${summary(reasons)}.`;
    const shown = object.status?.conditions?.find(({ type }) => type === 'PodScheduled');
    if (shown?.message === message) return;
    const lastTransitionTime = toTime(clock.now());
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message };
    await api.request({
      method: 'PATCH',
      path: `${pathOf(object)}/status`,
      type: 'application/strategic-merge-patch+json',
      body: () => ({ status: { conditions: [{ ...condition, lastTransitionTime }] } }),
    });
  };

  /** False if it has to be tried again. */
  const place = async (object: ApiPod): Promise<boolean> => {
    const pod = podFromApi(object);
    const fits = withAssumed().map(({ node, pods }) => ({
      node: node.name,
      load: pods.length,
      problem: misfit(pod, pods, node),
    }));
    const [best] = fits.filter(({ problem }) => problem === undefined).sort((a, b) => a.load - b.load);
    if (best !== undefined) await bind(object, pod, best.node);
    else
      await refuse(
        object,
        fits.flatMap(({ problem }) => problem ?? []),
      );
    return best !== undefined;
  };

  const { changed } = createReconciler<string>(clock, async (uid) => {
    const object = waiting.get(uid);
    if (object === undefined || signal.aborted) return 'over';
    try {
      if (await place(object)) return 'over';
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return 'over';
      log(`--bind: pod ${object.metadata.namespace}/${object.metadata.name}: ${messageOf(error)}`);
    }
    await clock.sleep(RETRY, signal).catch(() => {});
    return 'again';
  });

  const seen = (object: ApiPod): void => {
    const { uid } = object.metadata;
    const { schedulerName = DEFAULT, schedulingGates = [] } = object.spec as SchedulerFields;
    waiting.set(uid, object);
    if (schedulerName === DEFAULT && schedulingGates.length === 0) changed(uid);
  };
  return {
    listed: (all: readonly ApiPod[]): void => {
      waiting.clear();
      all.forEach(seen);
    },
    changed: seen,
    removed: ({ metadata }: ApiPod): void => void waiting.delete(metadata.uid),
  };
}

const DEFAULT = 'default-scheduler';

const pathOf = ({ metadata: { namespace = 'default', name } }: ApiPod): string =>
  apiPath`/api/v1/namespaces/${namespace}/pods/${name}`;

/** `1 Insufficient cpu, 2 node(s) had untolerated taint(s)` */
const summary = (reasons: readonly string[]): string =>
  [...new Set(reasons)]
    .map((reason) => `${reasons.filter((each) => each === reason).length} ${reason}`)
    .sort()
    .join(', ') || 'no node is ready';
