/**
 * Runs every case with a real busybox, and writes the results to golden/: `npx tsx test/busybox/record.ts
 * [FAMILY...]`. Needs busybox in PATH, and root, so that owners are the same.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Case, changesOf, type Outcome, PLAYGROUND } from './case.js';
import { families } from './families.js';

const GOLDEN = join(dirname(fileURLToPath(import.meta.url)), 'golden');
const THEN = 1_704_067_200;

function build(dir: string): void {
  for (const [path, entry] of Object.entries(PLAYGROUND)) {
    const full = join(dir, path);
    if (typeof entry === 'string') writeFileSync(full, entry, { mode: 0o644 });
    else if ('link' in entry) symlinkSync(entry.link, full);
    else if ('dir' in entry) mkdirSync(full, { mode: 0o755 });
    else writeFileSync(full, entry.text, { mode: entry.mode });
    if (typeof entry !== 'string' && 'text' in entry) chmodSync(full, entry.mode);
  }
  for (const path of Object.keys(PLAYGROUND)) lutimesSync(join(dir, path), THEN, THEN);
  utimesSync(dir, THEN, THEN);
}

function snapshot(dir: string, prefix = ''): Record<string, string> {
  const lines: Record<string, string> = {};
  for (const name of readdirSync(join(dir, prefix))) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const full = join(dir, path);
    const stat = lstatSync(full);
    const mode = (stat.mode & 0o7777).toString(8);
    const owner = `${stat.uid}:${stat.gid}`;
    if (stat.isSymbolicLink()) lines[path] = `link to ${readlinkSync(full)}`;
    else if (stat.isDirectory())
      Object.assign(lines, { [path]: `directory ${mode} ${owner}` }, snapshot(dir, path));
    else lines[path] = `file ${mode} ${owner} ${JSON.stringify(readFileSync(full, 'latin1'))}`;
  }
  return lines;
}

function run({ steps }: Case): Outcome {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'busybox-')));
  try {
    build(dir);
    const before = snapshot(dir);
    const outcomes = steps.map(({ argv, stdin }) => {
      const words = argv.map((word) => word.replaceAll('/playground', dir));
      const { stdout, stderr, status, signal } = spawnSync('busybox', words, {
        cwd: dir,
        input: Buffer.from(stdin, 'latin1'),
        env: { PATH: '/bin', LC_ALL: 'C', TZ: 'UTC', HOME: '/root' },
        encoding: 'latin1',
        timeout: 10_000,
      });
      const clean = (text: string) => text.replaceAll(dir, '/playground');
      return { stdout: clean(stdout), stderr: clean(stderr), code: signal ? -1 : (status ?? -1) };
    });
    return { steps: outcomes, changes: changesOf(before, snapshot(dir)) };
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const wanted = process.argv.slice(2);
process.umask(0o022);
for (const [family, cases] of Object.entries(families)) {
  if (wanted.length > 0 && !wanted.includes(family)) continue;
  const outcomes = Object.entries(cases).map(([name, one]) => [name, run(one)]);
  writeFileSync(join(GOLDEN, `${family}.json`), `${JSON.stringify(Object.fromEntries(outcomes), null, 1)}\n`);
}
