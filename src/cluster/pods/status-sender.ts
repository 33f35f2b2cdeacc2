import type { Clock, Timer } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { jitter, type Random } from '../../base/random/random.js';
import { isTerminal, withoutEarlyEnd } from '../../kubelet/index.js';
import type { PodApiStatus, PodStatusJson } from '../../kubelet/kubernetes/pod-status.js';
import type { StatusView } from '../../kubelet/kubernetes/status-json.js';
import type { ClientOf } from '../api/api-client.js';
import { isConflict, isNotFound, isTemporary } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import type { ApiPod } from '../objects/pod-from-api.js';
import { mergeStatus, statusPatch, statusToApi } from '../objects/status-patch.js';
import { createReconciler } from '../reconciler.js';
import type { StatusEntry } from './pod-entry.js';

export interface StatusSenderOptions {
  readonly clientOf: ClientOf;
  readonly clock: Clock;
  readonly random: Random;
  readonly viewOf: (node: string) => StatusView;
  readonly log: (message: string) => void;
}

/** Updates pod statuses in the API server to the kubelets' (status_manager.go syncPod). */
export interface StatusSender {
  /** Checks whether something must be sent. Each pod has at most one request in progress. */
  send(entry: StatusEntry): void;
}

interface Change {
  readonly target: PodStatusJson;
  readonly patch: object;
}

/** syncPeriod of the status manager in ms, after which a failed update is retried. */
const RETRY = 10_000;
/** In ms: how long a status waits for the next one if it only says that the pod starts or ends. */
const PASSING = 5000;

export function createStatusSender(options: StatusSenderOptions): StatusSender {
  const { clientOf, clock, random, viewOf, log } = options;

  /** The status for the API, without the terminal phase of a pod whose containers may still run (mergePodStatus). */
  const targetOf = (entry: StatusEntry, old: PodStatusJson): PodStatusJson | undefined => {
    const { wanted, finished, node } = entry;
    if (wanted === undefined) return undefined;
    const merged = mergeStatus(old, statusToApi(wanted.pod, wanted.status, viewOf(node)));
    return finished ? merged : withoutEarlyEnd(old, merged);
  };

  /** Undefined if the API is up to date. */
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
      // Computed when it is sent, to include changes in between.
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

  /** Entries whose status is held back, because the next one will soon replace it. */
  const held = new Map<StatusEntry, Timer>();
  const release = (entry: StatusEntry): void => {
    held.get(entry)?.cancel();
    held.delete(entry);
    changed(entry);
  };

  return {
    send: (entry) => {
      if (!isPassing(entry)) release(entry);
      else if (!held.has(entry))
        held.set(
          entry,
          clock.setTimer(PASSING, () => release(entry)),
        );
    },
  };
}

/** A pod that starts has no container yet; one that is deleted will soon have none. */
const isPassing = ({ wanted, deleting, finished, isMirror }: StatusEntry): boolean =>
  wanted !== undefined && !finished && ((deleting && !isMirror) || isStarting(wanted.status));

const isStarting = ({ phase, initContainerStatuses, containerStatuses }: PodApiStatus): boolean =>
  phase === 'Pending' &&
  [...initContainerStatuses, ...containerStatuses].every(
    ({ state }) =>
      state.kind === 'waiting' &&
      (state.reason === 'ContainerCreating' || state.reason === 'PodInitializing'),
  );
