import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { jitter, type Random } from '../../base/random/random.js';
import type { PodStatusJson } from '../../kubelet/kubernetes/pod-status.js';
import type { StatusView } from '../../kubelet/kubernetes/status-json.js';
import { withoutEarlyEnd } from '../../kubelet/status/early-end.js';
import { isTerminal } from '../../kubelet/status/phase.js';
import type { ClientOf } from '../api/api-client.js';
import { isConflict, isNotFound, isTemporary } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import type { ApiPod } from '../objects/pod-from-api.js';
import { mergeStatus, statusPatch, statusToApi } from '../objects/status-patch.js';
import { createReconciler } from '../reconciler.js';
import type { StatusEntry } from './pod-entry.js';

/** What the sender needs. */
export interface StatusSenderOptions {
  readonly clientOf: ClientOf;
  readonly clock: Clock;
  readonly random: Random;
  /** What a status shows of the node that the pod is on. */
  readonly viewOf: (node: string) => StatusView;
  readonly log: (message: string) => void;
}

/** Brings the API server's status of pods to what their kubelets want (status_manager.go syncPod). */
export interface StatusSender {
  /** Something may have to be sent. At most one request of a pod is under way. */
  send(entry: StatusEntry): void;
  /** Whether the API has what the kubelet wants. */
  isCurrent(entry: StatusEntry): boolean;
}

/** A status that the API should have, and the patch that makes it so. */
interface Change {
  readonly target: PodStatusJson;
  readonly patch: object;
}

/** syncPeriod of the status manager, in ms: a status that could not be sent is tried again then. */
const RETRY = 10_000;

/** Makes the sender of all pods. */
export function createStatusSender(options: StatusSenderOptions): StatusSender {
  const { clientOf, clock, random, viewOf, log } = options;

  /** What the API should have, without the end of a pod whose containers may still run (mergePodStatus). */
  const targetOf = (entry: StatusEntry, old: PodStatusJson): PodStatusJson | undefined => {
    const { wanted, finished, node } = entry;
    if (wanted === undefined) return undefined;
    const merged = mergeStatus(old, statusToApi(wanted.pod, wanted.status, viewOf(node)));
    return finished ? merged : withoutEarlyEnd(old, merged);
  };

  /** What the API should have and how it gets there; undefined when it has it. */
  const changeOf = (entry: StatusEntry): Change | undefined => {
    const old = JSON.parse(entry.api) as PodStatusJson;
    const target = targetOf(entry, old);
    const patch = target && statusPatch(old, target);
    return patch && { target, patch };
  };

  const path = ({ namespace, name }: StatusEntry) => apiPath`/api/v1/namespaces/${namespace}/pods/${name}`;

  const patchStatus = async (entry: StatusEntry): Promise<void> => {
    const { api, wanted, finished } = entry;
    const change = changeOf(entry);
    if (change === undefined) return;
    let sent: Change | undefined;
    const { metadata } = (await clientOf(entry.node).request({
      method: 'PATCH',
      path: `${path(entry)}/status`,
      type: 'application/strategic-merge-patch+json',
      answer: 'metadata',
      // Made when it goes out: what changed in between goes with it.
      body: () => {
        const isSame = entry.api === api && entry.wanted === wanted && entry.finished === finished;
        sent = isSame ? change : changeOf(entry);
        return { metadata: { uid: entry.uid }, status: sent?.patch ?? {} };
      },
    })) as Pick<ApiPod, 'metadata'>;
    const version = BigInt(metadata.resourceVersion);
    if (version <= entry.version) return;
    entry.version = version;
    if (sent !== undefined) entry.api = JSON.stringify(sent.target);
  };

  /** canBeDeleted (status_manager.go): the API shows the end, and the kubelet has nothing left of the pod. */
  const remove = async (entry: StatusEntry): Promise<void> => {
    const { phase } = JSON.parse(entry.api) as PodStatusJson;
    if (!entry.deleting || !entry.finished || entry.isMirror || !isTerminal(phase)) return;
    await clientOf(entry.node).request({
      method: 'DELETE',
      path: path(entry),
      body: () => ({
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        gracePeriodSeconds: 0,
        preconditions: { uid: entry.uid },
      }),
    });
    entry.gone = true;
  };

  const { changed } = createReconciler<StatusEntry>(clock, async (entry) => {
    if (entry.gone) return 'over';
    try {
      await patchStatus(entry);
      await remove(entry);
      return 'done';
    } catch (error) {
      // The pod is gone, or another one has its name. The watch reports which.
      if (isNotFound(error) || isConflict(error)) return 'over';
      const text = messageOf(error);
      if (!isTemporary(error)) log(`status of pod ${entry.namespace}/${entry.name}: ${text}`);
      await clock.sleep(jitter(random, RETRY / 2, 1));
      return 'again';
    }
  });

  return {
    send: changed,
    isCurrent: (entry) =>
      changeOf(entry) === undefined && (entry.isMirror || !(entry.deleting && entry.finished)),
  };
}
