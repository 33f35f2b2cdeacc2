/**
 * Records the results of busybox's shell for the scripts of test/shell/scripts.yaml in test/shell/busybox.json: `npx
 * tsx test/peers/suites/shell/record.ts` on a Linux system with busybox. Run it after changes of the scripts.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Outcome, readScripts, recordPath } from '../../../support/linux/shell-scripts.js';

const APPLETS = ['sh', 'cat', 'sleep', 'yes', 'head', 'sort', 'env', 'echo', 'mkdir', 'touch', 'cp', 'stat'];
const busybox = process.env.BUSYBOX ?? '/bin/busybox';

const base = mkdtempSync(join(tmpdir(), 'mockri-shell-'));
const programs = join(base, 'programs');
mkdirSync(programs);
copyFileSync(busybox, join(programs, 'busybox'));
chmodSync(join(programs, 'busybox'), 0o755);
for (const applet of APPLETS) symlinkSync('busybox', join(programs, applet));

function outcomeOf(script: string): Outcome {
  const work = join(base, 'work');
  mkdirSync(work);
  const { stdout, stderr, status, signal } = spawnSync(join(programs, 'sh'), ['-c', script], {
    argv0: 'sh',
    cwd: work,
    env: { PATH: programs, HOME: '/root' },
    encoding: 'utf8',
    input: '',
    timeout: 10_000,
  });
  rmSync(work, { recursive: true });
  const code = status ?? (signal === 'SIGKILL' ? 137 : signal === 'SIGTERM' ? 143 : -1);
  return { stdout: withoutPath(stdout), stderr: withoutPath(stderr), code };
}

/** Replaces the directory of the programs with the name that the tests use. */
const withoutPath = (text: string): string =>
  text.replaceAll(programs, '/programs').replaceAll(join(base, 'work'), '/work');

const recorded = Object.fromEntries(
  readScripts().flatMap(([, cases]) => cases.map(({ script }) => [script, outcomeOf(script)])),
);
writeFileSync(recordPath, `${JSON.stringify(recorded, null, 2)}\n`);
rmSync(base, { recursive: true });
console.log(`${Object.keys(recorded).length} scripts recorded`);
