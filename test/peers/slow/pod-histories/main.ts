import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRealClock } from '../../../../src/clock/real-clock.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { compareHistories } from '../../../support/recordings/pod-histories/compare.js';
import { readPodPlans } from '../../../support/recordings/pod-histories/manifests.js';
import type { HistoryRecording } from '../../../support/recordings/pod-histories/record.js';
import { historyOf, realHistories } from '../../../support/recordings/pod-histories/recording.js';
import { runPods } from '../../../support/recordings/pod-histories/run.js';
import { recordPods } from './record.js';

/**
 * main.ts TASK VERSION PODS RECORDING ...: the histories of the pods in the directory PODS under a kubelet of this version.
 *   record|real ... MANIFESTS PODS-URL LOG   under a running kubelet: written to RECORDING, or compared with it
 *   thin ... ENDPOINT                        under the thin kubelet, in real time on a runtime: compared
 */

/** Recording time and comparison time of each pod, in seconds. */
const SECONDS = 100;
const COMPARED = 85;
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

const [task, kubeletVersion = '', pods = '', recordingPath = '', ...words] = process.argv.slice(2);
const directoryOf = (path: string) => pathToFileURL(`${resolve(path)}/`);
const directory = directoryOf(recordingPath);
const plans = readPodPlans(randomBytes(4).toString('hex'), directoryOf(pods));
const [first = '', podsUrl = '', log = ''] = words;
if (task === 'thin') await compareThin(first);
else {
  const recording = await recordPods(plans, SECONDS, { directory: first, podsUrl, log });
  if (task === 'record') write(recording);
  else compare(recording);
}
process.exit();

/** Tests use this recording. */
function write(recording: HistoryRecording): void {
  const lines = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
  mkdirSync(directory, { recursive: true });
  writeFileSync(new URL('changes.jsonl', directory), lines(recording.changes));
  writeFileSync(new URL('events.jsonl', directory), lines(recording.events));
  console.log(`${recording.changes.length} changes, ${recording.events.length} events recorded`);
}

async function compareThin(endpoint: string): Promise<void> {
  const clock = createRealClock();
  const cri = connectCri(endpoint);
  await cri.waitForReady(5000);
  await cri.pullImage({ image: { image: IMAGE } });
  const version = kubeletVersion.replace(/^v|\.\d+$/g, '');
  compare(await runPods(plans, SECONDS, { cri, clock, pass: (ms) => clock.sleep(ms), version }));
  cri.close();
}

function compare(ours: HistoryRecording): void {
  const real = realHistories(directory);
  let steps = 0;
  let problems = 0;
  let alike = 0;
  for (const { name, until = COMPARED } of plans) {
    const found = compareOne(name, until, ours, real);
    steps += found.compared;
    problems += found.problems.length;
    if (found.problems.length === 0) alike++;
    for (const problem of found.problems) console.error(problem);
  }
  console.log(
    `${alike} of ${plans.length} pods and ${steps} steps as under the real kubelet, ${problems} differences`,
  );
  process.exitCode = problems === 0 ? 0 : 1;
}

function compareOne(name: string, until: number, ours: HistoryRecording, real: HistoryRecording) {
  const { compared, differences, late } = compareHistories(
    historyOf(ours, name),
    historyOf(real, name),
    until,
  );
  return { compared, problems: [...differences, ...late] };
}
