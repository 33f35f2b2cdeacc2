import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { manifestNames } from '../../../support/recordings/names.js';
import { type PodJson, tracksOf } from '../../../support/recordings/pod-histories/tracks.js';
import { RELIST, rowDifference, type ShownRow } from '../../../support/recordings/rows.js';

/**
 * main.ts record|compare RECORDING MANIFESTS PODS-URL SECONDS [NAME...]: gives a running kubelet the manifests of
 * test/oracle. Then it writes the rows that the kubelet shows to the directory RECORDING, or compares them with those there.
 */

/** Interval of reads of /pods, in ms. */
const SAMPLE = 200;

interface RecordedRow {
  readonly t: number;
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

const [task = '', recording = '', directory = '', url = '', seconds = '60', ...chosen] =
  process.argv.slice(2);
const names = chosen.length === 0 ? manifestNames : chosen;
const recordingUrl = pathToFileURL(`${resolve(recording)}/`);
const manifests = new URL('../../../oracle/kubelet-1.36.3/manifests/', import.meta.url);
const podOf = (name: string) => `${name}-mock-node`;

for (const name of names) {
  const manifest = JSON.parse(readFileSync(new URL(`${name}.json`, manifests), 'utf8'));
  // Two manifests have the name of another one.
  manifest.metadata.name = name;
  writeFileSync(join(directory, `${name}.json`), JSON.stringify(manifest));
}
const rows = await watchRows(url, Date.now() + Number(seconds) * 1000);
if (task === 'record') record();
else compare();

/** The rows of each pod, with the seconds since it was seen first. */
async function watchRows(url: string, end: number): Promise<Map<string, ShownRow[]>> {
  const rows = new Map<string, ShownRow[]>();
  const begun = new Map<string, number>();
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
  return rows;
}

function record(): void {
  const shown: RecordedRow[] = [...rows].flatMap(([pod, own]) =>
    own.map(({ t, text }) => {
      const [ready = '', status = '', restarts = ''] = text.split(' ');
      return { t: Number(t.toFixed(1)), pod, ready, status, restarts: Number(restarts) };
    }),
  );
  const lines = shown.toSorted((a, b) => a.t - b.t).map((row) => `${JSON.stringify(row)}\n`);
  mkdirSync(recordingUrl, { recursive: true });
  writeFileSync(new URL('rows.jsonl', recordingUrl), lines.join(''));
  console.log(`${names.length} pods, ${shown.length} rows in ${seconds} s recorded`);
}

function compare(): void {
  const recorded = readFileSync(new URL('rows.jsonl', recordingUrl), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedRow);
  let problems = 0;
  let byChance = 0;
  for (const name of names) {
    const real = recorded
      .filter(({ pod }) => pod === podOf(name))
      .map(({ t, ready, status, restarts }) => ({ t, text: `${ready} ${status} ${restarts}` }));
    const ours = rows.get(podOf(name)) ?? [];
    if (process.env.SHOW_ROWS)
      for (const { t, text } of ours) console.error(`${name} ${t.toFixed(1)} ${text}`);
    const difference = rowDifference(ours, real);
    if (difference === undefined) continue;
    problems++;
    const isChance = rowDifference(ours, real, RELIST) === undefined;
    if (isChance) byChance++;
    console.error(`${name}: ${difference}${isChance ? ', a row of a relist at most' : ''}`);
  }
  const count = names.reduce((sum, name) => sum + (rows.get(podOf(name))?.length ?? 0), 0);
  console.log(
    `${names.length} pods, ${count} rows in ${seconds} s, ${problems} pods with other rows than on containerd, ${byChance} of them by a row of a relist at most`,
  );
  process.exitCode = problems === 0 ? 0 : 1;
}
