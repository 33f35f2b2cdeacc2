import type { KubeEvent } from '../../../../src/kubelet/types/ports.js';
import { type PodJson, plain, tracksOf } from './tracks.js';

/** A change of a track of a pod; `t` is in seconds since the pod's manifest appeared. */
export interface TrackChange {
  readonly t: number;
  readonly pod: string;
  readonly track: string;
  readonly text: string;
}

export interface HistoryEvent extends Pick<KubeEvent, 'pod' | 'field' | 'type' | 'reason' | 'message'> {
  readonly t: number;
}

export interface HistoryRecording {
  readonly changes: readonly TrackChange[];
  readonly events: readonly HistoryEvent[];
}

type HistoryEventInput = Omit<HistoryEvent, 't'>;

/** Row of a removed pod. */
const GONE = 'gone';

/** `now` is in ms. */
export function createHistoryRecord(now: () => number) {
  const begun = new Map<string, number>();
  const last = new Map<string, string>();
  const changes: TrackChange[] = [];
  const events: HistoryEvent[] = [];
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
  const putEvent = (t: number, { pod, field, type, reason, message }: HistoryEventInput) => {
    if (t >= 0) events.push({ t, pod: shortName(pod), field, type, reason, message: plain(message) });
  };
  return {
    begin: (pod: string) => void begun.set(pod, now()),
    status: (pod: PodJson) => put(pod.metadata.name, tracksOf(pod)),
    gone: (pod: string) => put(pod, { row: GONE }),
    event: (event: HistoryEventInput) => putEvent(age(event.pod), event),
    /** Adds an event that is read later; `time` is like `now`. */
    eventAt: (time: number, event: HistoryEventInput) => putEvent(age(event.pod, time), event),
    result: (): HistoryRecording => ({ changes, events }),
  };
}

const shortName = (pod: string): string => pod.replace(/-mock-node$/, '');
