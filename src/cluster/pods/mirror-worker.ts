import type { Clock } from '../../clock/clock.js';
import { messageOf } from '../../input/error-text.js';
import { jitter, type Random } from '../../random/random.js';
import type { ClientOf } from '../api/api-client.js';
import { isConflict, isNotFound, isTemporary } from '../api/api-error.js';
import { apiPath } from '../api/api-path.js';
import type { ApiPod } from '../objects/pod-from-api.js';
import { hashOf, mirrorObject } from './mirror-object.js';
import { lose, type Mirror, type StaticPodSlot, see } from './static-pod-slot.js';
import type { StatusSender } from './status-sender.js';

/** What making and removing mirror pods needs. */
export interface MirrorWorkerOptions {
  readonly clientOf: ClientOf;
  readonly clock: Clock;
  readonly random: Random;
  readonly sender: StatusSender;
  readonly log: (message: string) => void;
  /** Uid of a node's object in the API; undefined without one. */
  readonly nodeUid: (node: string) => string | undefined;
  /** Nothing is wanted of a place, and nothing is left of it. */
  readonly isEmpty: (place: StaticPodSlot) => void;
}

/** Makes and removes mirror pods. */
export interface MirrorWorker {
  /** Something changed about the static pod, its mirror pod or its node. One request of a place is under way at a time. */
  check(place: StaticPodSlot): void;
}

/** Pauses after a failed request, in ms: the kubelet tries again with the next sync of the pod. */
const RETRY = 10_000;
const REFUSED = 60_000;

/** Does nothing until something changes. */
export function createMirrorWorker(options: MirrorWorkerOptions): MirrorWorker {
  const { clientOf, clock, random, sender, log, nodeUid, isEmpty } = options;
  /** tryReconcileMirrorPods (kubelet.go), and the removal of orphans (kubelet_pods.go). True when nothing is left to do. */
  const reconcile = async (place: StaticPodSlot): Promise<boolean> => {
    const { wanted, mirror, ending, node } = place;
    const uid = nodeUid(node);
    // The old mirror pod shows how the old pod ends.
    if (ending !== undefined) return true;
    if (mirror !== undefined) {
      const isRight = wanted !== undefined && mirror.hash === hashOf(wanted.pod) && !mirror.entry.deleting;
      if (isRight) return true;
      await remove(place, mirror);
      return false;
    }
    if (wanted === undefined || uid === undefined) return true;
    const body = () => mirrorObject(wanted, node, uid);
    const made = await clientOf(node).request({
      method: 'POST',
      path: path(place).replace(/\/[^/]+$/, ''),
      body,
    });
    see(place, made as ApiPod, sender);
    return false;
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

  const work = async (place: StaticPodSlot): Promise<void> => {
    for (let done = false; !done || place.again; ) {
      place.again = false;
      try {
        done = await reconcile(place);
      } catch (error) {
        // Another pod has the name: the watch reports it.
        const isLater = isTemporary(error) || isConflict(error);
        if (!isLater) log(`mirror pod ${place.name}: ${messageOf(error)}`);
        await clock.sleep(jitter(random, (isLater ? RETRY : REFUSED) / 2, 1));
      }
    }
    place.working = false;
    if (place.wanted === undefined && place.mirror === undefined && place.ending === undefined)
      isEmpty(place);
  };
  const check = (place: StaticPodSlot): void => {
    place.again = true;
    if (place.working) return;
    place.working = true;
    void clock.run(() => work(place));
  };

  return { check };
}

/** The path of the pod in the API. */
function path({ name }: StaticPodSlot): string {
  const [namespace = '', pod = ''] = name.split('/');
  return apiPath`/api/v1/namespaces/${namespace}/pods/${pod}`;
}
