import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRealClock } from '../../../../src/base/clock/real-clock.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { compareWithRuns } from '../../../support/recordings/pod-histories/compare.js';
import { readPodPlans } from '../../../support/recordings/pod-histories/manifests.js';
import type { HistoryRecording } from '../../../support/recordings/pod-histories/record.js';
import {
  historyOf,
  realHistories,
  recordedRuns,
} from '../../../support/recordings/pod-histories/recording.js';
import { runPods } from '../../../support/recordings/pod-histories/run.js';
import { recordPods } from './record.js';

/**
 * main.ts TASK VERSION PODS RECORDING ...: the histories of the pods in the directory PODS under a kubelet of this
 * version. RECORDING is a directory; further runs of the same are in RECORDING-2, RECORDING-3 and so on. A pod has the
 * history of any of them.
 *   record ... MANIFESTS PODS-URL LOG   under a running kubelet: written to RECORDING
 *   real ... MANIFESTS PODS-URL LOG     under a running kubelet: compared
 *   thin ... ENDPOINT                   under the thin kubelet, in real time on a runtime: compared
 *   kept ... DIRECTORY                  a run that was kept (KEEP=DIRECTORY of real or thin): compared
 *   control ...                         each run is compared with the others
 */

/** Recording time and comparison time of each pod, in seconds. */
const SECONDS = 100;
const COMPARED = 85;
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

const [task, kubeletVersion = '', pods = '', recordingPath = '', ...words] = process.argv.slice(2);
const directoryOf = (path: string) => pathToFileURL(`${resolve(path)}/`);
const recorded = pathToFileURL(resolve(recordingPath));
const plans = readPodPlans(randomBytes(4).toString('hex'), directoryOf(pods));
const [first = '', podsUrl = '', log = ''] = words;
if (task === 'control') control();
else if (task === 'kept') compare('kept run', realHistories(directoryOf(first)), recordedRuns(recorded));
else {
  const recording =
    task === 'thin'
      ? await thinHistories(first)
      : await recordPods(plans, SECONDS, { directory: first, podsUrl, log });
  const kept = task === 'record' ? recordingPath : process.env.KEEP;
  if (kept) write(recording, directoryOf(kept));
  if (task !== 'record') compare(`${task} kubelet`, recording, recordedRuns(recorded));
}
process.exit();

/** Tests use this recording. */
function write(recording: HistoryRecording, directory: URL): void {
  const lines = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
  mkdirSync(directory, { recursive: true });
  writeFileSync(new URL('changes.jsonl', directory), lines(recording.changes));
  writeFileSync(new URL('events.jsonl', directory), lines(recording.events));
  console.log(`${recording.changes.length} changes, ${recording.events.length} events recorded`);
}

async function thinHistories(endpoint: string): Promise<HistoryRecording> {
  const clock = createRealClock();
  const cri = connectCri(endpoint);
  await cri.waitForReady(5000);
  await cri.pullImage({ image: { image: IMAGE } });
  const version = kubeletVersion.replace(/^v|\.\d+$/g, '');
  const recording = await runPods(plans, SECONDS, { cri, clock, pass: (ms) => clock.sleep(ms), version });
  cri.close();
  return recording;
}

/** Differences between runs of the same kubelet on the same runtime: chance. */
function control(): void {
  const runs = recordedRuns(recorded);
  for (const [index, ours] of runs.entries())
    compare(
      `run ${index + 1}`,
      ours,
      runs.filter((run) => run !== ours),
    );
}

function compare(title: string, ours: HistoryRecording, runs: readonly HistoryRecording[]): void {
  let steps = 0;
  let problems = 0;
  let alike = 0;
  for (const { name, until = COMPARED } of plans) {
    const { compared, differences, late } = compareWithRuns(
      historyOf(ours, name),
      runs.map((run) => historyOf(run, name)),
      until,
    );
    const found = [...differences, ...late];
    steps += compared;
    problems += found.length;
    if (found.length === 0) alike++;
    for (const problem of found) console.error(problem);
  }
  console.log(
    `${title}: ${alike} of ${plans.length} pods as in one of ${runs.length} runs of the real kubelet, ${steps} steps, ${problems} differences`,
  );
  if (problems > 0) process.exitCode = 1;
}
