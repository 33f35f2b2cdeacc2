// Counts the lines of src and adapters, by part, without tests and generated code: `npm run lines [-- COMMIT]`. With a
// commit, it shows by how much each part grew since.
import { execFileSync } from 'node:child_process';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8', maxBuffer: 1e9 });

/** Lines by part, as a commit has them. */
function linesOf(commit) {
  const counts = new Map();
  // `git grep -c ''` counts the lines of each file: `COMMIT:src/base/clock/clock.ts:93`.
  const files = git('grep', '-c', '', commit, '--', 'src/*.ts', 'src/*.tsx', 'adapters/*.ts')
    .trim()
    .split('\n');
  for (const file of files) {
    const [, path = '', count] = file.split(':');
    if (path.endsWith('.test.ts') || path.includes('/gen/')) continue;
    const part = path.split('/').slice(0, 2).join('/');
    counts.set(part, (counts.get(part) ?? 0) + Number(count));
  }
  return counts;
}

const sum = (counts) => [...counts.values()].reduce((one, other) => one + other, 0);

const [since] = process.argv.slice(2);
const now = linesOf('HEAD');
const before = since === undefined ? undefined : linesOf(since);
const shown = [...now, ['all', sum(now)]].map(([part, count]) => {
  const old = part === 'all' ? before && sum(before) : before?.get(part);
  const grown = before === undefined ? '' : `  ${count - (old ?? 0)}`;
  return `${part.padEnd(18)}${String(count).padStart(7)}${grown}`;
});
process.stdout.write(`${shown.join('\n')}\n`);
