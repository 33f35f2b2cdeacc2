import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { manifestNames } from '../../../support/recordings/names.js';
import { type PodJson, tracksOf } from '../../../support/recordings/pod-histories/tracks.js';
import {
  type RowRecording,
  rowRecordings,
  rowVerdict,
  writeRowRecording,
} from '../../../support/recordings/row-recordings.js';
import type { ShownRow } from '../../../support/recordings/rows.js';

/**
 * main.ts TASK RECORDING ...: the rows of the manifests of test/oracle under a running kubelet. RECORDING is a
 * directory with the runs that were recorded on containerd.
 *   record|compare ... MANIFESTS PODS-URL SECONDS NUMBER [NAME...]  writes them as run NUMBER, or compares them with all runs
 *   kept ... DIRECTORY                                              compares those that were kept there (KEEP=DIRECTORY)
 *   control                                                         compares each run with the others
 */

/** Interval of reads of /pods, in ms. */
const SAMPLE = 200;

const [task = '', recording = '', directory = '', url = '', seconds = '60', number = '1', ...chosen] =
  process.argv.slice(2);
const names = chosen.length === 0 ? manifestNames : chosen;
const urlOf = (path: string) => pathToFileURL(`${resolve(path)}/`);
const recordingUrl = urlOf(recording);
const manifests = new URL('../../../oracle/kubelet-1.36.3/manifests/', import.meta.url);
const podOf = (name: string) => `${name}-mock-node`;

if (task === 'control') control();
else if (task === 'kept') compareWithRuns(rowRecordings(urlOf(directory))[0] ?? new Map());
else {
  for (const name of names) write(name);
  const rows = await watchRows(url, Date.now() + Number(seconds) * 1000);
  if (process.env.KEEP) writeRowRecording(rows, urlOf(process.env.KEEP), 1);
  if (task === 'record') record(rows);
  else compareWithRuns(rows);
}

function write(name: string): void {
  const manifest = JSON.parse(readFileSync(new URL(`${name}.json`, manifests), 'utf8'));
  // Two manifests have another one's name.
  manifest.metadata.name = name;
  writeFileSync(join(directory, `${name}.json`), JSON.stringify(manifest));
}

/** The rows of each pod, with the seconds since its first row. */
async function watchRows(url: string, end: number): Promise<RowRecording> {
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

function record(rows: RowRecording): void {
  writeRowRecording(rows, recordingUrl, Number(number));
  console.log(`${names.length} pods, ${countOf(rows)} rows in ${seconds} s recorded`);
}

function compareWithRuns(rows: RowRecording): void {
  process.exitCode = compare('kubelet', rows, rowRecordings(recordingUrl)) === 0 ? 0 : 1;
}

/** Differences between runs of the same kubelet on the same containerd: chance. */
function control(): void {
  const runs = rowRecordings(recordingUrl);
  for (const [index, rows] of runs.entries())
    compare(
      `run ${index + 1}`,
      rows,
      runs.filter((run) => run !== rows),
    );
}

/** Prints the differences; returns the number of pods whose rows match no run. */
function compare(title: string, rows: RowRecording, runs: readonly RowRecording[]): number {
  const count = { alike: 0, relist: 0, other: 0 };
  for (const name of names) {
    const ours = rows.get(podOf(name)) ?? [];
    if (process.env.SHOW_ROWS)
      for (const { t, text } of ours) console.error(`${name} ${t.toFixed(1)} ${text}`);
    const { kind, difference } = rowVerdict(podOf(name), ours, runs);
    count[kind]++;
    if (kind !== 'alike')
      console.error(`${name}: ${difference}${kind === 'relist' ? ', rows of a relist at most' : ''}`);
  }
  console.log(
    `${title}: ${names.length} pods, ${countOf(rows)} rows: ${count.alike} pods as in one of ${runs.length} runs on containerd, ` +
      `${count.relist} more except for rows of a relist at most, ${count.other} with other rows`,
  );
  return count.relist + count.other;
}

function countOf(rows: RowRecording): number {
  return names.reduce((sum, name) => sum + (rows.get(podOf(name))?.length ?? 0), 0);
}
