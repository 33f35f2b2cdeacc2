import { readFileSync } from 'node:fs';
import { livesDirectory } from './manifests.js';
import type { LifeEvent, LivesRecording, TrackChange } from './record.js';
import { plain } from './tracks.js';

/** The real kubelet's recording of the same manifests. */
export function realLives(directory = livesDirectory): LivesRecording {
  const lines = (file: string) => readFileSync(new URL(file, directory), 'utf8').trim().split('\n');
  return {
    changes: lines('changes.jsonl').map((line) => JSON.parse(line) as TrackChange),
    events: lines('events.jsonl').map((line) => {
      const event = JSON.parse(line) as LifeEvent;
      return { ...event, message: plain(event.message) };
    }),
  };
}

/** Part of a recording for one pod. */
export const lifeOf = ({ changes, events }: LivesRecording, name: string): LivesRecording => ({
  changes: changes.filter(({ pod }) => pod === name),
  events: events.filter(({ pod }) => pod === name),
});
