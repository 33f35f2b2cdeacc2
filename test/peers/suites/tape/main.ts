import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { compareHistories } from '../../../support/recordings/pod-histories/compare.js';
import { readPodPlans } from '../../../support/recordings/pod-histories/manifests.js';
import type { HistoryRecording } from '../../../support/recordings/pod-histories/record.js';
import { historyOf } from '../../../support/recordings/pod-histories/recording.js';
import { recordPods } from '../../slow/pod-histories/record.js';

const [task, names = '', seconds = '0', ...words] = process.argv.slice(2);
/** The pods of a run; each run has other uids. */
const plans = readPodPlans(randomBytes(4).toString('hex'), new URL('.', import.meta.url)).filter(
  ({ name }) => names === 'all' || names.split(',').includes(name),
);

if (task === 'watch') await watch(words);
else compare(words);
process.exit();

/** Writes the manifests under a running kubelet, and its view of the pods to a file. */
async function watch([directory = '', podsUrl = '', log = '', file = '']: string[]): Promise<void> {
  const shown = await recordPods(plans, Number(seconds), { directory, podsUrl, log });
  writeFileSync(file, JSON.stringify(shown));
}

/** Compares the rows of two such files. */
function compare(files: string[]): void {
  const [recorded, served] = files.map(readRows);
  if (recorded === undefined || served === undefined) throw new Error('two files are needed');
  let rows = 0;
  let short = 0;
  const problems: string[] = [];
  for (const { name } of plans) {
    const { compared, differences } = compareHistories(
      historyOf(served, name),
      historyOf(recorded, name),
      Number(seconds),
    );
    rows += compared;
    const others = differences.filter((difference) => !isJitter(difference));
    short += differences.length - others.length;
    problems.push(...others, ...(compared === 0 ? [`${name}: no row`] : []));
    if (differences.length > 0) for (const file of files) printRows(file, name);
  }
  for (const problem of problems) console.error(problem);
  const only = short === 0 ? '' : `, except for ${short} CrashLoopBackOff in one run only`;
  console.log(`${rows} rows of ${plans.length} pods are the same, ${problems.length} differ${only}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/**
 * A kubelet syncs a pod in back-off again after the rest of the back-off, at most 60 s, times 1 to 1.5 at random
 * (pod_workers.go, completeWork). It shows CrashLoopBackOff if that is before the back-off's end, and otherwise never.
 */
function isJitter(difference: string): boolean {
  return / row: .*CrashLoopBackOff \d+$/.test(difference);
}

/** Prints one file's rows of a pod, to explain a difference. */
function printRows(file: string, pod: string): void {
  console.error(`${pod} in ${file}:`);
  for (const { t, text } of historyOf(readRows(file), pod).changes)
    console.error(`  ${t.toFixed(1)} ${text}`);
}

function readRows(file: string): HistoryRecording {
  const { changes }: HistoryRecording = JSON.parse(readFileSync(file, 'utf8'));
  return { changes: changes.filter(({ track }) => track === 'row'), events: [] };
}
