import type { KubeEvent } from '../../../../src/kubelet/types/ports.js';
import { type PodJson, plain, tracksOf } from './tracks.js';

/** A change of a track of a pod; `t` is in seconds since the pod's manifest appeared. */
export interface TrackChange {
  readonly t: number;
  readonly pod: string;
  readonly track: string;
  readonly text: string;
}

export interface LifeEvent extends Pick<KubeEvent, 'pod' | 'field' | 'type' | 'reason' | 'message'> {
  readonly t: number;
}

export interface LivesRecording {
  readonly changes: readonly TrackChange[];
  readonly events: readonly LifeEvent[];
}

type LifeEventInput = Omit<LifeEvent, 't'>;

/** Row of a removed pod. */
const GONE = 'gone';

/** `now` is in ms. */
export function createLifeRecord(now: () => number) {
  const begun = new Map<string, number>();
  const last = new Map<string, string>();
  const changes: TrackChange[] = [];
  const events: LifeEvent[] = [];
  const age = (pod: string, time = now()) => Math.round((time - (begun.get(pod) ?? 0)) / 100) / 10;
  const put = (pod: string, tracks: Readonly<Record<string, string>>) => {
    for (const [track, text] of Object.entries(tracks)) {
      const key = `${pod} ${track}`;
      if (last.get(key) === text) continue;
      last.set(key, text);
      changes.push({ t: age(pod), pod: shortName(pod), track, text });
    }
  };
  /** Earlier events of a pod belong to an earlier run. */
  const putEvent = (t: number, { pod, field, type, reason, message }: LifeEventInput) => {
    if (t >= 0) events.push({ t, pod: shortName(pod), field, type, reason, message: plain(message) });
  };
  return {
    begin: (pod: string) => void begun.set(pod, now()),
    status: (pod: PodJson) => put(pod.metadata.name, tracksOf(pod)),
    gone: (pod: string) => put(pod, { row: GONE }),
    event: (event: LifeEventInput) => putEvent(age(event.pod), event),
    /** Adds an event that is read later; `time` is like `now`. */
    eventAt: (time: number, event: LifeEventInput) => putEvent(age(event.pod, time), event),
    result: (): LivesRecording => ({ changes, events }),
  };
}

const shortName = (pod: string): string => pod.replace(/-mock-node$/, '');
