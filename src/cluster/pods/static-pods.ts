import type { Clock } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { StatusSink } from '../../kubelet/index.js';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { ClientOf } from '../api/api-client.js';
import type { ApiPod } from '../objects/pod-from-api.js';
import { fullNameOf, type StaticPod } from './mirror-object.js';
import { createMirrorWorker, type MirrorWorker } from './mirror-worker.js';
import { giveUp, lose, newSlot, type StaticPodSlot, see, sendStatus } from './static-pod-slot.js';
import type { StatusSender } from './status-sender.js';

export interface StaticPodsOptions {
  readonly clientOf: ClientOf;
  readonly clock: Clock;
  readonly random: Random;
  readonly sender: StatusSender;
  readonly log: (message: string) => void;
}

export interface StaticPods extends Required<StatusSink> {
  set(node: string, pods: readonly StaticPod[]): void;
  of(node: string): readonly Pod[];
  /** The node's object in the API; undefined when it is gone. */
  registered(node: string, uid: string | undefined): void;
  /** A new kubelet starts on the node: it does not stop pods of the earlier one. */
  restarted(node: string): void;
  seen(object: ApiPod, node: string): void;
  removed(object: ApiPod): void;
  /** The API has been listed, for one node or for all: other mirror pods are gone. */
  listed(uids: ReadonlySet<string>, node: string | undefined): void;
}

/** housekeepingPeriod of the kubelet, in ms. */
const HOUSEKEEPING = 2000;

export function createStaticPods({ clientOf, clock, random, sender, log }: StaticPodsOptions): StaticPods {
  const places: Places = new Map();
  const nodes = new Map<string, string>();
  const { check } = createMirrorWorker({
    clientOf,
    clock,
    random,
    sender,
    log,
    nodeUid: (node) => nodes.get(node),
    isEmpty: ({ name }) => places.delete(name),
  });
  const placesOn = (node: string) => [...places.values()].filter((place) => place.node === node);

  return {
    ...mirrorPods(places, sender, check),
    ...statusSink(places, sender, check, clock),
    set: (node, pods) => {
      const wanted = new Map(pods.map((each) => [fullNameOf(each.pod.metadata), each]));
      for (const place of placesOn(node)) {
        if (place.wanted === undefined) continue;
        const next = wanted.get(place.name);
        if (next?.pod.metadata.uid === place.wanted.pod.metadata.uid) continue;
        giveUp(place);
        check(place);
      }
      for (const [name, each] of wanted) {
        const place = placeOf(places, name, node);
        place.wanted = each;
        check(place);
      }
    },
    of: (node) => placesOn(node).flatMap(({ wanted }) => (wanted === undefined ? [] : [wanted.pod])),
    registered: (node, uid) => {
      if (nodes.get(node) === uid) return;
      if (uid === undefined) nodes.delete(node);
      else nodes.set(node, uid);
      for (const place of placesOn(node)) check(place);
    },
    restarted: (node) => {
      for (const place of placesOn(node)) {
        if (place.ending === undefined) continue;
        place.ending = undefined;
        check(place);
      }
    },
  };
}

type Places = Map<string, StaticPodSlot>;

function placeOf(places: Places, name: string, node: string): StaticPodSlot {
  const place = places.get(name) ?? newSlot(name, node);
  places.set(name, place);
  return place;
}

const mirrorPods = (
  places: Places,
  sender: StatusSender,
  check: MirrorWorker['check'],
): Pick<StaticPods, 'seen' | 'removed' | 'listed'> => ({
  seen: (object, node) => {
    const place = placeOf(places, fullNameOf(object.metadata), node);
    see(place, object, sender);
    check(place);
  },
  removed: ({ metadata }) => {
    const place = places.get(fullNameOf(metadata));
    if (place === undefined) return;
    lose(place, metadata.uid);
    check(place);
  },
  listed: (uids, node) => {
    for (const place of places.values()) {
      if (node !== undefined && place.node !== node) continue;
      const uid = place.mirror?.entry.uid;
      if (uid === undefined || uids.has(uid)) continue;
      lose(place, uid);
      check(place);
    }
  },
});

function statusSink(
  places: Places,
  sender: StatusSender,
  check: MirrorWorker['check'],
  clock: Clock,
): Required<StatusSink> {
  const placeOfStatic = ({ metadata, source }: Pod): StaticPodSlot | undefined =>
    source === 'file' ? places.get(fullNameOf(metadata)) : undefined;
  return {
    status: (pod, status) => {
      const place = placeOfStatic(pod);
      if (place === undefined) return;
      place.status = { pod, status };
      sendStatus(place, sender);
    },
    // While another pod has the name, its mirror pod does not show this one (status_manager.go syncPod).
    ending: (pod, status) => {
      const place = placeOfStatic(pod);
      if (place?.ending !== pod.metadata.uid || place.wanted !== undefined) return;
      place.status = { pod, status };
      sendStatus(place, sender);
    },
    finished: (pod) => {
      const place = placeOfStatic(pod);
      if (place === undefined) return;
      const { uid } = pod.metadata;
      if (place.ending === uid)
        // Housekeeping removes an orphan; a pod in its place gets its own mirror pod immediately.
        clock.setTimer(place.wanted === undefined ? HOUSEKEEPING : 0, () => {
          if (place.ending === uid) place.ending = undefined;
          check(place);
        });
      else if (place.wanted?.pod.metadata.uid === uid) {
        place.finished = true;
        sendStatus(place, sender);
      }
    },
  };
}
