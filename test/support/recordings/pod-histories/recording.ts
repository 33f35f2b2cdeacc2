import { existsSync, readFileSync } from 'node:fs';
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

/** All recorded runs of the real kubelet: in `directory` (without a slash at its end), `directory`-2 and so on. */
export function recordedRuns(directory: URL): HistoryRecording[] {
  const runs: HistoryRecording[] = [];
  const next = () => new URL(runs.length === 0 ? `${directory}/` : `${directory}-${runs.length + 1}/`);
  while (existsSync(next())) runs.push(realHistories(next()));
  return runs;
}

/** Part of a recording for one pod. */
export const historyOf = ({ changes, events }: HistoryRecording, name: string): HistoryRecording => ({
  changes: changes.filter(({ pod }) => pod === name),
  events: events.filter(({ pod }) => pod === name),
});
