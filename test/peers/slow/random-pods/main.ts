// Random pods on the thin kubelet and on a kubelet program: main.ts bulk VERSION PODS SEED FILE; main.ts shrink FILE;
// main.ts record VERSION PODS SEED.
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { kubeletProgram, minorOf } from '../../../../src/kubelet/hosts/virtual/kubelet-program.js';
import { type Disagreement, disagreements, type Pair } from '../../../support/random-pods/agree.js';
import { LATER } from '../../../support/random-pods/compare.js';
import { inventPod } from '../../../support/random-pods/invent.js';
import { kindOf } from '../../../support/random-pods/kind.js';
import type { PodCase } from '../../../support/random-pods/pod-case.js';
import {
  type RecordedPod,
  runRecorded,
  unlikeThin,
  writeRecording,
} from '../../../support/random-pods/recording.js';
import { shrink } from '../../../support/random-pods/shrink.js';

/** Pods on one node. */
const TOGETHER = 60;
/** How long each pod is followed, and the end of the comparison, in s. */
const UNTIL = 70;
const SECONDS = UNTIL + LATER;

/** A line of the file: a node with its pods. */
interface Line {
  readonly version: string;
  readonly seed: number;
  readonly pods: number;
  readonly suspected: number;
  readonly found: readonly Disagreement[];
}

function pairOf(version: string): Pair {
  const program = kubeletProgram(version, 'VERSION');
  return {
    program: withEventsInLog(program.path),
    version: minorOf(program),
    seconds: SECONDS,
    until: UNTIL,
  };
}

/** A script that runs the program so that its log has each event. */
function withEventsInLog(program: string): string {
  const script = join(mkdtempSync(join(tmpdir(), 'mockri-random-pods-')), 'kubelet');
  writeFileSync(script, `#!/bin/sh\nexec '${program}' "$@" --vmodule=evented=4,event=3\n`, { mode: 0o755 });
  process.on('exit', () => rmSync(dirname(script), { recursive: true }));
  return script;
}

/** The pods of one node; `version` such as `1.37`. */
const inventPods = (seed: number, count: number, version: string): PodCase[] =>
  Array.from({ length: count }, (_, index) =>
    inventPod(`${seed}/${index}`, `r${seed}-${index}`, Number(version.slice(2))),
  );

const linesOf = (file: string): Line[] =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Line)
    : [];

/** Compares pods that the file does not have yet. */
async function bulk([version = '', count = '80', first = '1', file = '']: string[]): Promise<void> {
  const pair = pairOf(version);
  const done = new Set(
    linesOf(file)
      .filter((line) => line.version === version)
      .map(({ seed }) => seed),
  );
  let left = Number(count);
  for (let seed = Number(first); left > 0; seed++) {
    const size = Math.min(TOGETHER, left);
    left -= size;
    if (done.has(seed)) continue;
    const begin = performance.now();
    const pods = inventPods(seed, size, pair.version);
    const { suspected, found } = await disagreements(pods, pair, seed);
    appendFileSync(file, `${JSON.stringify({ version, seed, pods: pods.length, suspected, found })}\n`);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.error(
      `seed ${seed}: ${pods.length} pods, ${suspected} ran again, ${found.length} differ (${seconds} s)`,
    );
  }
  report(linesOf(file).filter((line) => line.version === version));
}

function report(lines: readonly Line[]): void {
  const kinds = new Map<string, string[]>();
  for (const { pod, differences } of lines.flatMap(({ found }) => found))
    for (const kind of new Set(differences.map(kindOf)))
      kinds.set(kind, [...(kinds.get(kind) ?? []), pod.name]);
  for (const [kind, pods] of [...kinds].sort(([, a], [, b]) => b.length - a.length))
    console.log(`${pods.length}× ${kind} (${pods.slice(0, 5).join(', ')})`);
  const total = lines.reduce((sum, { pods }) => sum + pods, 0);
  const differing = lines.reduce((sum, { found }) => sum + found.length, 0);
  console.log(`${total} pods, ${differing} differ`);
  process.exitCode = differing === 0 ? 0 : 1;
}

/** The smallest pod of each kind of difference, or of the named pods. */
async function shrinkAll([file = '', ...names]: string[]): Promise<void> {
  const seen = new Set<string>();
  for (const { version, seed, found } of linesOf(file))
    for (const each of found) {
      const [kind = ''] = each.differences.map(kindOf);
      if (names.length > 0 ? !names.includes(each.pod.name) : seen.has(kind)) continue;
      seen.add(kind);
      const smallest = await shrink(each, pairOf(version), seed, () => process.stderr.write('.'));
      console.log(JSON.stringify(smallest, undefined, 1));
    }
}

/** Records the program's behavior with pods that the thin kubelet treats alike; the others are for `bulk`. */
async function record([version = '', count = '12', seed = '1']: string[]): Promise<void> {
  const { program, version: minor } = pairOf(version);
  const pods = inventPods(Number(seed), 2 * Number(count), minor);
  const options = { program, version: minor, seed: Number(seed) };
  let recorded = await recordOf(pods, options);
  // Fewer pods start at other times, so the remaining ones are recorded again.
  for (let odd = await oddOf(recorded, minor); odd.size > 0 || recorded.length > Number(count); ) {
    const left = recorded.map(({ pod }) => pod).filter(({ name }) => !odd.has(name));
    recorded = await recordOf(left.slice(0, Number(count)), options);
    odd = await oddOf(recorded, minor);
  }
  console.log(`${writeRecording(version, recorded)}: ${recorded.length} of ${pods.length} pods`);
}

type Recording = { readonly program: string; readonly version: string; readonly seed: number };

async function recordOf(pods: readonly PodCase[], options: Recording): Promise<RecordedPod[]> {
  const run = await runRecorded(pods, options);
  return pods.map((pod) => ({ pod, history: run.get(pod.name) ?? new Map() }));
}

/** Names of the pods that the thin kubelet treats differently. */
const oddOf = async (recorded: readonly RecordedPod[], version: string): Promise<Set<string>> =>
  new Set((await unlikeThin(recorded, version)).map((text) => text.split(',', 1).join()));

const [task = '', ...words] = process.argv.slice(2);
if (task === 'bulk') await bulk(words);
else if (task === 'shrink') await shrinkAll(words);
else if (task === 'record') await record(words);
else throw new Error(`expected bulk, shrink or record; given ${JSON.stringify(task)}`);
process.exit();
