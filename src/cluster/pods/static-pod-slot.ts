import { z } from 'zod';
import type { Pod } from '../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../kubelet/kubernetes/pod-status.js';
import { hashOf, MIRROR, type StaticPod } from './mirror-object.js';
import { type StatusEntry, seeStatus, stateOf } from './pod-entry.js';
import type { StatusSender } from './status-sender.js';

export interface StaticPodSlot {
  readonly node: string;
  readonly name: string;
  /** Undefined if its manifest is gone. */
  wanted: StaticPod | undefined;
  /** Uid of an earlier static pod of this name that is still stopping. */
  ending: string | undefined;
  status: { readonly pod: Pod; readonly status: PodApiStatus } | undefined;
  finished: boolean;
  mirror: Mirror | undefined;
}

export const mirrorSchema = z.object({
  metadata: z.object({
    name: z.string(),
    namespace: z.string().optional(),
    uid: z.string(),
    resourceVersion: z.string(),
    deletionTimestamp: z.string().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
  status: z.looseObject({}).optional(),
});

type MirrorObject = z.input<typeof mirrorSchema>;

export interface Mirror {
  readonly entry: StatusEntry;
  readonly hash: string;
}

export const newSlot = (name: string, node: string): StaticPodSlot => ({
  node,
  name,
  wanted: undefined,
  ending: undefined,
  status: undefined,
  finished: false,
  mirror: undefined,
});

/** Its manifest is gone: stops the pod if it runs. */
export function giveUp(place: StaticPodSlot): void {
  place.ending ??= place.finished || place.status === undefined ? undefined : place.wanted?.pod.metadata.uid;
  place.wanted = undefined;
  place.finished = false;
}

/** The API has this mirror pod. Ignores a version that is not newer. */
export function see(place: StaticPodSlot, object: MirrorObject, sender: StatusSender): void {
  const { metadata } = object;
  const known = place.mirror?.entry;
  if (known?.uid === metadata.uid) {
    if (!seeStatus(known, object)) return;
  } else {
    if (known !== undefined) known.gone = true;
    place.mirror = {
      entry: mirrorEntry(object, place.node),
      hash: metadata.annotations?.[MIRROR] ?? '',
    };
  }
  sendStatus(place, sender);
}

/** The mirror pod with this uid is gone from the API. */
export function lose(place: StaticPodSlot, uid: string): void {
  if (place.mirror?.entry.uid !== uid) return;
  place.mirror.entry.gone = true;
  place.mirror = undefined;
}

export function sendStatus({ mirror, status, finished }: StaticPodSlot, sender: StatusSender): void {
  if (mirror === undefined || status === undefined || mirror.hash !== hashOf(status.pod)) return;
  mirror.entry.wanted = status;
  mirror.entry.finished = finished;
  sender.send(mirror.entry);
}

function mirrorEntry(object: MirrorObject, node: string): StatusEntry {
  const { uid, name, namespace = 'default' } = object.metadata;
  const still = { wanted: undefined, finished: false, gone: false };
  return { uid, name, namespace, node, isMirror: true, ...stateOf(object), ...still };
}
