import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { differencesOf } from './agree.js';
import type { History, Item } from './history.js';
import type { PodCase } from './pod-case.js';
import { runPods } from './run.js';

/** Recordings of kubelet programs with random pods: a file for each version, with a line for each pod. */
const directory = new URL('../../oracle/random-pods/', import.meta.url);

/** End of the comparison, and of the recording, in s after the pods' start. */
const UNTIL = 60;
const SECONDS = 90;
/** Seeds of the thin kubelet's runs to compare a recording with. */
const SEEDS = [1, 2, 3, 4];

export interface RecordedPod {
  readonly pod: PodCase;
  readonly history: History;
}

/** Versions of recorded kubelets, such as `1.37.2`. */
export const recordedVersions = (): string[] =>
  readdirSync(directory)
    .flatMap((name) => /^kubelet-(.+)\.jsonl$/.exec(name)?.[1] ?? [])
    .sort();

const fileOf = (version: string): string => fileURLToPath(new URL(`kubelet-${version}.jsonl`, directory));

export function readRecording(version: string): RecordedPod[] {
  const lines = readFileSync(fileOf(version), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { history, ...pod } = JSON.parse(line) as PodCase & { history: Record<string, [number, string][]> };
    const tracks = Object.entries(history).map(([track, items]): [string, Item[]] => [
      track,
      items.map(([t, text]) => ({ t, text })),
    ]);
    return { pod, history: new Map(tracks) };
  });
}

export function writeRecording(version: string, recorded: readonly RecordedPod[]): string {
  const file = fileOf(version);
  if (!existsSync(dirname(file))) mkdirSync(dirname(file));
  const lines = recorded.map(({ pod, history }) => {
    const tracks = [...history].map(([track, items]) => [
      track,
      items.map(({ t, text }) => [Math.round(t * 100) / 100, text]),
    ]);
    return `${JSON.stringify({ ...pod, history: Object.fromEntries(tracks) })}\n`;
  });
  writeFileSync(file, lines.join(''));
  return file;
}

/** Runs pods as for a recording: all of them on one node. */
export const runRecorded = (
  pods: readonly PodCase[],
  options: { readonly program?: string; readonly version: string; readonly seed: number },
): Promise<Map<string, History>> => runPods(pods, { ...options, seconds: SECONDS });

/** Behavior of the program that no run of the thin kubelet of its version shows, pod by pod. */
export async function unlikeThin(recorded: readonly RecordedPod[], version: string): Promise<string[]> {
  const runs: Map<string, History>[] = [];
  for (const seed of SEEDS)
    runs.push(
      await runRecorded(
        recorded.map(({ pod }) => pod),
        { version, seed },
      ),
    );
  return recorded.flatMap(({ pod, history }) =>
    differencesOf(pod, history, runs, UNTIL).map(({ track, what }) => `${pod.name}, ${track}: ${what}`),
  );
}
