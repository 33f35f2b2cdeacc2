import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRealClock } from '../../../../src/clock/real-clock.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { compareHistories } from '../../../support/recordings/pod-histories/compare.js';
import { historiesDirectory, readPodPlans } from '../../../support/recordings/pod-histories/manifests.js';
import type { HistoryRecording } from '../../../support/recordings/pod-histories/record.js';
import { historyOf, realHistories } from '../../../support/recordings/pod-histories/recording.js';
import { runPods } from '../../../support/recordings/pod-histories/run.js';
import { recordPods } from './record.js';

/** The kubelet that was recorded. */
const VERSION = '1.36';
/** Recording time and comparison time of each pod, in seconds. */
const SECONDS = 100;
const COMPARED = 85;
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

const [task, ...words] = process.argv.slice(2);
/** Directory with pods.yaml and the recording. */
const directory =
  process.env.HISTORIES === undefined
    ? historiesDirectory
    : pathToFileURL(`${resolve(process.env.HISTORIES)}/`);
const plans = readPodPlans(randomBytes(4).toString('hex'), directory);
if (task === 'record') await record(words[0] ?? '', words[1] ?? '', words[2] ?? '');
else await compare(words[0] ?? '');
process.exit();

/** Records the histories of pods under the real kubelet, which must be running. Tests use this recording. */
async function record(manifests: string, podsUrl: string, log: string): Promise<void> {
  const recording = await recordPods(plans, SECONDS, { directory: manifests, podsUrl, log });
  const lines = (items: readonly object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
  writeFileSync(new URL('changes.jsonl', directory), lines(recording.changes));
  writeFileSync(new URL('events.jsonl', directory), lines(recording.events));
  console.log(`${recording.changes.length} changes, ${recording.events.length} events recorded`);
}

/** Compares the thin kubelet, in real time on the runtime, with the recording. */
async function compare(endpoint: string): Promise<void> {
  const clock = createRealClock();
  const cri = connectCri(endpoint);
  await cri.waitForReady(5000);
  await cri.pullImage({ image: { image: IMAGE } });
  const ours = await runPods(plans, SECONDS, { cri, clock, pass: (ms) => clock.sleep(ms), version: VERSION });
  const real = realHistories(directory);
  let steps = 0;
  let problems = 0;
  for (const { name, until = COMPARED } of plans) {
    const found = compareOne(name, until, ours, real);
    steps += found.compared;
    problems += found.problems.length;
    for (const problem of found.problems) console.error(problem);
  }
  cri.close();
  console.log(`${plans.length} pods, ${steps} steps as under the real kubelet, ${problems} differences`);
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
