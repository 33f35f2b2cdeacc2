import { readFileSync } from 'node:fs';
import { historiesDirectory } from './manifests.js';
import type { HistoryEvent, HistoryRecording, TrackChange } from './record.js';
import { plain } from './tracks.js';

/** The real kubelet's recording of the same manifests. */
export function realHistories(directory = historiesDirectory): HistoryRecording {
  const lines = (file: string) => readFileSync(new URL(file, directory), 'utf8').trim().split('\n');
  return {
    changes: lines('changes.jsonl').map((line) => JSON.parse(line) as TrackChange),
    events: lines('events.jsonl').map((line) => {
      const event = JSON.parse(line) as HistoryEvent;
      return { ...event, message: plain(event.message) };
    }),
  };
}

/** Part of a recording for one pod. */
export const historyOf = ({ changes, events }: HistoryRecording, name: string): HistoryRecording => ({
  changes: changes.filter(({ pod }) => pod === name),
  events: events.filter(({ pod }) => pod === name),
});
