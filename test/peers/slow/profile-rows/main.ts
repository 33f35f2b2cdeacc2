import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordedNames } from '../../../support/recordings/names.js';
import { type PodJson, tracksOf } from '../../../support/recordings/pod-histories/tracks.js';
import { rowDifference, type ShownRow } from '../../../support/recordings/rows.js';

/**
 * main.ts MANIFESTS PODS-URL SECONDS [NAME...]: gives a running kubelet the recorded manifests, and compares the rows that
 * it shows with the recorded ones.
 */

/** Interval of reads of /pods, as in the recording, in ms. */
const SAMPLE = 200;
const [directory = '', url = '', seconds = '60', ...chosen] = process.argv.slice(2);
const names = chosen.length === 0 ? recordedNames : chosen;
const oracle = new URL('../../../oracle/kubelet-1.36.3/', import.meta.url);
for (const name of names)
  copyFileSync(new URL(`manifests/${name}.json`, oracle), join(directory, `${name}.json`));

const rows = new Map<string, ShownRow[]>();
const begun = new Map<string, number>();
const end = Date.now() + Number(seconds) * 1000;
while (Date.now() < end) {
  const { items } = (await (await fetch(url)).json()) as { items: PodJson[] | null };
  for (const pod of items ?? []) {
    const { name } = pod.metadata;
    const first = begun.get(name) ?? Date.now();
    begun.set(name, first);
    const own = rows.get(name) ?? [];
    rows.set(name, own);
    const text = tracksOf(pod).row ?? '';
    if (own.at(-1)?.text !== text) own.push({ t: (Date.now() - first) / 1000, text });
  }
  await new Promise((resolve) => setTimeout(resolve, SAMPLE));
}

const recorded = readFileSync(new URL('rows.jsonl', oracle), 'utf8').trim().split('\n');
let problems = 0;
for (const name of names) {
  const pod = `${name}-mock-node`;
  const real = recorded
    .map(
      (line) =>
        JSON.parse(line) as { t: number; pod: string; ready: string; status: string; restarts: number },
    )
    .filter((row) => row.pod === pod)
    .map(({ t, ready, status, restarts }) => ({ t, text: `${ready} ${status} ${restarts}` }));
  const ours = rows.get(pod) ?? [];
  const difference = rowDifference(ours, real);
  if (process.env.SHOW_ROWS) for (const { t, text } of ours) console.error(`${name} ${t.toFixed(1)} ${text}`);
  if (difference === undefined) continue;
  problems++;
  console.error(`${name}: ${difference}`);
}
const count = names.reduce((sum, name) => sum + (rows.get(`${name}-mock-node`)?.length ?? 0), 0);
console.log(
  `${names.length} pods, ${count} rows in ${seconds} s, ${problems} pods with other rows than on containerd`,
);
process.exit(problems === 0 ? 0 : 1);
