import type { Clock } from '../../base/clock/clock.js';
import { messageOf } from '../../base/input/error-text.js';
import { jitter, type Random } from '../../base/random/random.js';
import type { ClientOf } from '../api/api-client.js';
import { isConflict, isNotFound, isTemporary } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import { createReconciler, type StepResult } from '../reconciler.js';
import { hashOf, mirrorObject } from './mirror-object.js';
import { lose, type Mirror, mirrorSchema, type StaticPodSlot, see } from './static-pod-slot.js';
import type { StatusSender } from './status-sender.js';

export interface MirrorWorkerOptions {
  readonly clientOf: ClientOf;
  readonly clock: Clock;
  readonly random: Random;
  readonly sender: StatusSender;
  readonly log: (message: string) => void;
  /** Uid of a node's object in the API; undefined without one. */
  readonly nodeUid: (node: string) => string | undefined;
  readonly isEmpty: (place: StaticPodSlot) => void;
}

export interface MirrorWorker {
  /** The static pod, its mirror pod or its node changed. Each slot has at most one request in progress. */
  check(place: StaticPodSlot): void;
}

/** In ms after a failed request: the kubelet tries again with the pod's next sync. */
const RETRY = 10_000;
const REFUSED = 60_000;

export function createMirrorWorker(options: MirrorWorkerOptions): MirrorWorker {
  const { clientOf, clock, random, sender, log, nodeUid, isEmpty } = options;
  /** tryReconcileMirrorPods (kubelet.go), and the removal of orphans (kubelet_pods.go). */
  const reconcile = async (place: StaticPodSlot): Promise<StepResult> => {
    const { wanted, mirror, ending, node } = place;
    const uid = nodeUid(node);
    // The old mirror pod shows how the old pod ends.
    if (ending !== undefined) return 'done';
    if (mirror !== undefined) {
      const isRight = wanted !== undefined && mirror.hash === hashOf(wanted.pod) && !mirror.entry.deleting;
      if (isRight) return 'done';
      await remove(place, mirror);
      return 'again';
    }
    if (wanted === undefined || uid === undefined) return 'done';
    const body = () => mirrorObject(wanted, node, uid);
    const made = await clientOf(node).request({
      method: 'POST',
      path: path(place).replace(/\/[^/]+$/, ''),
      body,
    });
    see(place, mirrorSchema.parse(made), sender);
    return 'again';
  };
  const remove = async (place: StaticPodSlot, { entry }: Mirror): Promise<void> => {
    const preconditions = { uid: entry.uid };
    const body = () => ({ kind: 'DeleteOptions', apiVersion: 'v1', gracePeriodSeconds: 0, preconditions });
    try {
      await clientOf(place.node).request({ method: 'DELETE', path: path(place), body });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
    lose(place, entry.uid);
  };

  const step = async (place: StaticPodSlot): Promise<StepResult> => {
    try {
      return await reconcile(place);
    } catch (error) {
      // Another pod has the name: the watch reports it.
      const isLater = isTemporary(error) || isConflict(error);
      if (!isLater) log(`mirror pod ${place.name}: ${messageOf(error)}`);
      await clock.sleep(jitter(random, (isLater ? RETRY : REFUSED) / 2, 1));
      return 'again';
    }
  };
  const { changed } = createReconciler(clock, step, (place) => {
    if (place.wanted === undefined && place.mirror === undefined && place.ending === undefined)
      isEmpty(place);
  });

  return { check: changed };
}

function path({ name }: StaticPodSlot): string {
  const [namespace = '', pod = ''] = name.split('/');
  return apiPath`/api/v1/namespaces/${namespace}/pods/${pod}`;
}
