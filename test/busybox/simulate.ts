import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { commandNames, createPrograms } from '../../src/linux/commands/index.js';
import type { ContainerFiles } from '../../src/linux/fs/file-system.js';
import { createPipe } from '../../src/linux/process/pipe.js';
import { ProcessTable } from '../../src/linux/process/process-table.js';
import { exitCodeOf } from '../../src/linux/process/signals.js';
import { containerFiles, noNetwork, someView } from '../support/linux/container-files.js';
import { type Case, changesOf, type Outcome, PLAYGROUND } from './case.js';

const THEN = 1_704_067_200_000_000_000n;
const DIR = '/playground';

/** One clock for all cases: each clock slows down every promise. */
const clock = createVirtualClock();
const programs = createPrograms();

export async function simulate({ steps }: Case): Promise<Outcome> {
  const fs = containerFiles('busybox', {}, someView, commandNames, clock);
  await build(fs);
  const before = await snapshot(fs, DIR);
  const outcomes: Outcome['steps'][number][] = [];
  for (const { argv, stdin } of steps) outcomes.push(await runStep(fs, argv, stdin));
  return { steps: outcomes, changes: changesOf(before, await snapshot(fs, DIR)) };
}

async function runStep(fs: ContainerFiles, argv: readonly string[], input: string) {
  const env = new Map([
    ['PATH', '/bin'],
    ['HOME', '/root'],
  ]);
  const program = await programs.find(argv[0] ?? '', { fs, cwd: DIR, env });
  if (!program) throw new TypeError(`unknown command ${argv[0]}`);
  const table = new ProcessTable({
    clock,
    fs,
    view: someView,
    ...noNetwork,
  });
  const [stdin, stdout, stderr] = [createPipe(clock), collector(), collector()];
  await stdin.write(Buffer.from(input, 'latin1'));
  stdin.end();
  const user = { uid: 0, gid: 0, groups: [0], name: 'root' };
  const started = table.start({ argv, program, env, cwd: DIR, user, stdin, stdout, stderr });
  const status = await started.exit;
  return { stdout: stdout.text(), stderr: stderr.text(), code: exitCodeOf(status) };
}

function collector() {
  const chunks: Buffer[] = [];
  return {
    write: async (chunk: Buffer) => void chunks.push(chunk),
    end: () => {},
    text: () => Buffer.concat(chunks).toString('latin1'),
  };
}

async function build(fs: ContainerFiles): Promise<void> {
  await fs.mkdir(DIR);
  for (const [path, entry] of Object.entries(PLAYGROUND)) {
    const full = `${DIR}/${path}`;
    if (typeof entry === 'string') await fs.writeFile(full, Buffer.from(entry));
    else if ('link' in entry) await fs.symlink(entry.link, full);
    else if ('dir' in entry) await fs.mkdir(full);
    else await fs.writeFile(full, Buffer.from(entry.text), { mode: entry.mode });
  }
  const files = Object.keys(PLAYGROUND).filter((path) => path !== 'dangling');
  for (const path of [...files, '.']) await fs.utimes(`${DIR}/${path}`, THEN);
}

async function snapshot(fs: ContainerFiles, dir: string): Promise<Record<string, string>> {
  const lines: Record<string, string> = {};
  for (const name of await fs.readdir(dir)) {
    const full = `${dir}/${name}`;
    const path = full.slice(DIR.length + 1);
    const { kind, mode, uid, gid } = await fs.lstat(full);
    const look = `${mode.toString(8)} ${uid}:${gid}`;
    if (kind === 'symlink') lines[path] = `link to ${await fs.readlink(full)}`;
    else if (kind === 'directory')
      Object.assign(lines, { [path]: `directory ${look}` }, await snapshot(fs, full));
    else lines[path] = `file ${look} ${JSON.stringify((await fs.readFile(full)).toString('latin1'))}`;
  }
  return lines;
}
