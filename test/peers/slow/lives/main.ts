import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRealClock } from '../../../../src/clock/real-clock.js';
import { connectCri } from '../../../../src/cri/client/connect.js';
import { compareLives } from '../../../support/recordings/pod-histories/compare.js';
import { livesDirectory, readLives } from '../../../support/recordings/pod-histories/manifests.js';
import type { LivesRecording } from '../../../support/recordings/pod-histories/record.js';
import { lifeOf, realLives } from '../../../support/recordings/pod-histories/recording.js';
import { runLives } from '../../../support/recordings/pod-histories/run.js';
import { recordLives } from './record.js';

/** Recording time and comparison time of each pod, in seconds. */
const SECONDS = 100;
const COMPARED = 85;
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

const [task, ...words] = process.argv.slice(2);
/** Directory with pods.yaml and the recording. */
const directory =
  process.env.LIVES === undefined ? livesDirectory : pathToFileURL(`${resolve(process.env.LIVES)}/`);
const lives = readLives(randomBytes(4).toString('hex'), directory);
if (task === 'record') await record(words[0] ?? '', words[1] ?? '', words[2] ?? '');
else await compare(words[0] ?? '');
process.exit();

/** Records the lives under the real kubelet, which must be running. Tests use this recording. */
async function record(manifests: string, podsUrl: string, log: string): Promise<void> {
  const recording = await recordLives(lives, SECONDS, { directory: manifests, podsUrl, log });
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
  const ours = await runLives(lives, SECONDS, { cri, clock, pass: (ms) => clock.sleep(ms) });
  const real = realLives(directory);
  let steps = 0;
  let problems = 0;
  for (const { name, until = COMPARED } of lives) {
    const found = compareOne(name, until, ours, real);
    steps += found.compared;
    problems += found.problems.length;
    for (const problem of found.problems) console.error(problem);
  }
  cri.close();
  console.log(`${lives.length} pods, ${steps} steps as under the real kubelet, ${problems} differences`);
  process.exitCode = problems === 0 ? 0 : 1;
}

function compareOne(name: string, until: number, ours: LivesRecording, real: LivesRecording) {
  const { compared, differences, late } = compareLives(lifeOf(ours, name), lifeOf(real, name), until);
  return { compared, problems: [...differences, ...late] };
}
