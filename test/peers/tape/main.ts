import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { compareLives } from '../../support/lives/compare.js';
import { readLives } from '../../support/lives/manifests.js';
import type { LivesRecording } from '../../support/lives/record.js';
import { lifeOf } from '../../support/lives/recording.js';
import { recordLives } from '../lives/record.js';

const [task, names = '', seconds = '0', ...words] = process.argv.slice(2);
/** The pods of a run; each run has other uids. */
const lives = readLives(randomBytes(4).toString('hex'), new URL('.', import.meta.url)).filter(
  ({ name }) => names === 'all' || names.split(',').includes(name),
);

if (task === 'watch') await watch(words);
else compare(words);
process.exit();

/** Writes the manifests under a running kubelet, and what it shows of the pods to a file. */
async function watch([directory = '', podsUrl = '', log = '', file = '']: string[]): Promise<void> {
  const shown = await recordLives(lives, Number(seconds), { directory, podsUrl, log });
  writeFileSync(file, JSON.stringify(shown));
}

/** Compares the rows of two such files. */
function compare(files: string[]): void {
  const [recorded, served] = files.map((file) => rowsOf(JSON.parse(readFileSync(file, 'utf8'))));
  if (recorded === undefined || served === undefined) throw new Error('two files are needed');
  let rows = 0;
  const problems: string[] = [];
  for (const { name } of lives) {
    const { compared, differences } = compareLives(
      lifeOf(served, name),
      lifeOf(recorded, name),
      Number(seconds),
    );
    rows += compared;
    problems.push(...differences, ...(compared === 0 ? [`${name}: no row`] : []));
  }
  for (const problem of problems) console.error(problem);
  console.log(`${rows} rows of ${lives.length} pods are the same, ${problems.length} differ`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function rowsOf({ changes }: LivesRecording): LivesRecording {
  return { changes: changes.filter(({ track }) => track === 'row'), events: [] };
}
