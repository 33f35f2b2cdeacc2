import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { connectCri } from '../../src/cri/client/connect.js';
import { runCommand } from '../support/command.js';
import { commandLine } from '../support/program.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough, sampleOf } from '../support/thorough.js';

const slow = it.runIf(isThorough);

const temporary = useTemporaryDirectories();
const children = new Set<ChildProcess>();

afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
});

it('prints the ready line, serves, and removes its socket', async () => {
  const socket = join(temporary(), 'cri.sock');
  const { child, ready } = await serve(['--listen', `unix://${socket}`, '--control', '127.0.0.1:0']);
  expect(ready).toEqual({
    ready: true,
    listen: `unix://${socket}`,
    control: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: child.pid,
  });
  expect(statSync(socket).mode & 0o777).toBe(0o660);
  const client = connectCri(`unix://${socket}`);
  expect(await client.version({ version: '' })).toMatchObject({
    runtimeName: 'mockri',
    runtimeApiVersion: 'v1',
  });
  client.close();
  const health = await fetch(`${ready.control}/healthz`);
  expect(await health.text()).toBe('ok\n');
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(existsSync(socket)).toBe(false);
});

it('replaces the socket of a killed server, and refuses one in use', async () => {
  const socket = join(temporary(), 'cri.sock');
  const first = await serve(['--listen', socket, '--control', 'off']);
  await expect(serve(['--listen', socket, '--control', 'off'])).rejects.toThrow(
    /another process is serving it/,
  );
  first.child.kill('SIGKILL');
  await once(first.child, 'exit');
  expect(existsSync(socket)).toBe(true);
  const second = await serve(['--listen', socket, '--control', 'off']);
  expect(second.ready.control).toBeNull();
});

it('rejects invalid input with exit code 2', async () => {
  const refused = async (...flags: string[]) => {
    const { code, err } = await runCommand('serve', ...flags);
    return `exit ${code}: ${err}`;
  };
  expect(await refused('--transitions', 'loose')).toMatch(
    /exit 2: mockri: --transitions: expected cri or strict; given "loose"/,
  );
  expect(await refused('--lisen', '/x')).toMatch(/exit 2: .*--listen/s);
  expect(await refused('--listen', 'temporary', '--nri-request-timeout', '5s')).toMatch(
    /exit 2: mockri: --nri-request-timeout: no plugins can connect/,
  );
});

it('reports an impossible socket path, and ends', async () => {
  await expect(serve(['--listen', 'unix:///proc/mockri/cri.sock', '--control', 'off'])).rejects.toThrow(
    /exit 1: .*unix:\/\/\/proc\/mockri\/cri\.sock: no directory \/proc\/mockri \(ENOENT\)/,
  );
});

it('creates no missing directory for a mistyped socket path', async () => {
  const directory = join(temporary(), 'mistyped');
  await expect(serve(['--listen', `${directory}/cri.sock`, '--control', 'off'])).rejects.toThrow(
    `no directory ${directory} (ENOENT); create it, or correct the path`,
  );
  expect(existsSync(directory)).toBe(false);
});

it('stops when its standard input ends, if asked to', async () => {
  const socket = join(temporary(), 'cri.sock');
  const { child } = await serve(['--listen', socket, '--control', 'off', '--exit-with-stdin']);
  child.stdin?.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(existsSync(socket)).toBe(false);
});

slow('makes a directory for its socket, and leaves none behind', async () => {
  const directory = temporary();
  const { child, ready } = await serve(['--listen', 'temporary', '--control', 'off', '--exit-with-stdin'], {
    TMPDIR: directory,
  });
  expect(ready.listen).toMatch(new RegExp(`^unix://${directory}/mockri-\\w+/cri\\.sock$`));
  child.stdin?.end();
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(readdirSync(directory).filter((name) => name.startsWith('mockri-'))).toEqual([]);
});

slow('removes directories of servers that were killed, and nothing else', async () => {
  const directory = temporary();
  const serveThere = () => serve(['--listen', 'temporary', '--control', 'off'], { TMPDIR: directory });
  const made = ({ ready }: Served) => dirname(ready.listen.slice('unix://'.length));
  const [killed, alive] = [await serveThere(), await serveThere()];
  killed.child.kill('SIGKILL');
  await once(killed.child, 'exit');
  const owner = readFileSync(join(made(killed), 'owner'));
  const copies = [
    'mockri-AAAAAA',
    'mockri-BBBBBB',
    'mockri-CCCCCC',
    'mockri-DDDDDD',
    'mockri-EEEEEE',
    'other-AAAAAA',
  ];
  for (const name of copies.slice(1)) {
    mkdirSync(join(directory, name));
    if (name !== 'mockri-EEEEEE') writeFileSync(join(directory, name, 'owner'), owner);
  }
  // A link to a directory, a file that Mockri does not make, another machine, a link as owner.
  symlinkSync('other-AAAAAA', join(directory, 'mockri-AAAAAA'));
  writeFileSync(join(directory, 'mockri-BBBBBB', 'mine'), '');
  writeFileSync(join(directory, 'mockri-CCCCCC', 'owner'), String(owner).replace(' ', ' other.'));
  writeFileSync(
    join(directory, 'mockri-DDDDDD', 'owner'),
    `${process.pid}${String(owner).replace(/^\d+/, '')}`,
  );
  symlinkSync('../other-AAAAAA/owner', join(directory, 'mockri-EEEEEE', 'owner'));
  const last = await serveThere();
  expect(existsSync(made(killed))).toBe(false);
  const left = readdirSync(directory).filter((name) => /^(mockri|other)-/.test(name));
  expect(left.sort()).toEqual([...copies, basename(made(alive)), basename(made(last))].sort());
  for (const name of copies) expect(readdirSync(join(directory, name))).toContain('owner');
});

slow('otherwise continues without standard input', async () => {
  const socket = join(temporary(), 'cri.sock');
  const { child } = await serve(['--listen', socket, '--control', 'off']);
  child.stdin?.end();
  const client = connectCri(`unix://${socket}`);
  expect(await client.version({ version: '' })).toMatchObject({ runtimeName: 'mockri' });
  client.close();
  expect(child.exitCode).toBeNull();
});

/** As before `| head`. */
const withoutReader: [string, string[]][] = [
  ['simulations', ['simulate', 'liveness-crash-loop', '--output', 'json']],
  ['a timeline', ['simulate', 'crash-loop-back-off', '--output', 'timeline']],
  ['no work to stop', ['simulate', '--list']],
  ['help', ['serve', '--help']],
];

it.each(sampleOf(withoutReader, 1))(
  'exits with 0 and without output when its output is closed: %s',
  async (_, args) => {
    const child = spawn(process.execPath, commandLine(...args));
    children.add(child);
    child.stdout.destroy();
    let errors = '';
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(errors).toBe('');
  },
);

interface Served {
  readonly child: ChildProcess;
  readonly ready: { readonly listen: string; readonly control: string | null };
}

/** Starts `mockri serve`; rejects with its output if it ends. */
async function serve(flags: readonly string[], environment: Record<string, string> = {}): Promise<Served> {
  const child = spawn(process.execPath, commandLine('serve', ...flags), {
    env: { ...process.env, ...environment },
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return new Promise((resolve, reject) => {
    child.stdout.once('data', (line) => resolve({ child, ready: JSON.parse(String(line)) }));
    child.once('close', (code) => reject(new Error(`exit ${code}: ${errors}`)));
  });
}
