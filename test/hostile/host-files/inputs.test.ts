import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { runCommand } from '../../support/command.js';
import { commandLine } from '../../support/program.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { ofAll, sampleOf } from '../../support/thorough.js';

const temporary = useTemporaryDirectories();

/** A command that waits for what never comes waits for good; a busy machine takes its time. In ms. */
const HUNG = 300_000;

/** Runs a line of bash, in which `$mockri` is the command line. */
const bash = (line: string, ...args: readonly string[]) =>
  new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
    const mockri = [process.execPath, '--max-old-space-size=400', ...commandLine()].join(' ');
    execFile(
      'bash',
      ['-c', line, 'bash', ...args],
      { env: { ...process.env, mockri }, timeout: HUNG, killSignal: 'SIGKILL', maxBuffer: 1e8 },
      (error, out, err) => resolve({ code: error === null ? 0 : (error.code ?? error.signal), out, err }),
    );
  });

/** Something else than a regular file: what it is, and its path. */
async function others(): Promise<[string, string][]> {
  const directory = temporary();
  const [pipe, socket, folder] = ['pipe', 'socket', 'directory'].map((name) => join(directory, `a-${name}`));
  execFileSync('mkfifo', [String(pipe)]);
  mkdirSync(String(folder));
  const server = createServer().listen(socket);
  await once(server, 'listening');
  server.unref();
  return [
    ['pipe', String(pipe)],
    ['device', '/dev/zero'],
    ['socket', String(socket)],
    ['directory', String(folder)],
  ];
}

/** What a command says of something that is no file. */
const refusal = (kind: string, path: string) =>
  `${path}: it can't be read: it is a ${kind}; give a regular file, a pipe of the shell such as <(…), or - for`;

it('a process reads only regular files, and does not wait for others', async () => {
  for (const [kind, path] of await others()) {
    const { code, err } = await bash('$mockri tape show "$1"', path);
    expect([kind, code, err]).toEqual([kind, 2, expect.stringContaining(refusal(kind, path))]);
  }
});

it.each([
  ['tape', 'show'],
  ['tape', 'judge'],
  ['tape', 'diff'],
  ['tape', 'view'],
  ['tape', 'import', '--from', 'kubelet-log'],
  ['reproduce', 'oom-loop', '--saw'],
])('%s %s reads only regular files, and does not wait for others', async (...args) => {
  for (const [kind, path] of await others()) {
    const { code, err } = await runCommand(...args, ...(args[1] === 'diff' ? [path, path] : [path]));
    expect([kind, code, err]).toEqual([kind, 2, expect.stringContaining(refusal(kind, path))]);
  }
});

it.each(['simulate', 'explore'])('%s reads only regular files', async (command) => {
  for (const [kind, path] of (await others()).slice(0, 3)) {
    const { code, err } = await runCommand(command, path);
    expect([kind, code, err]).toEqual([
      kind,
      2,
      expect.stringContaining(`${path}: it can't be read: it is a ${kind}`),
    ]);
  }
});

const header = {
  t: 0,
  kind: 'header',
  version: 1,
  startedAt: '1',
  clock: 'real',
  recorder: 'x',
  redacted: [],
};
const row = {
  t: 5,
  kind: 'row',
  pod: { name: 'web', namespace: 'default' },
  ready: '0/1',
  status: 'Pending',
  restarts: 0,
};

/** A tape of one row, compressed or not. */
function tape(name: string): string {
  const file = join(temporary(), name);
  const text = [header, row].map((line) => `${JSON.stringify(line)}\n`).join('');
  writeFileSync(file, name.endsWith('.gz') ? gzipSync(text) : text);
  return file;
}

const ways = [
  ['standard input', '$mockri tape show - < "$1"'],
  ['standard input, as the system names it', 'cat "$1" | $mockri tape show /dev/stdin'],
  ['a pipe into it', 'cat "$1" | $mockri tape show -'],
  ['a pipe of the shell', '$mockri tape show <(cat "$1")'],
  ['a slow pipe', '$mockri tape show <(head -c 30 "$1"; sleep 0.3; tail -c +31 "$1")'],
  ['a file that the shell opened', '$mockri tape show /dev/fd/7 7< "$1"'],
] as const;
const sources = ways.flatMap(([way, line]) =>
  ['run.tape', 'run.tape.gz'].map((name) => [name, way, line] as const),
);
/** So many that each way is among them, and both kinds of files. */
const some = sampleOf(sources, 7);

it.each(some)(
  `%s comes from %s (${ofAll(some.length, sources.length, 'sources')})`,
  async (name, _, line) => {
    const { code, out, err } = await bash(line, tape(name));
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Pending');
  },
);

it('two tapes come from two pipes', async () => {
  const { code, out, err } = await bash(
    '$mockri tape diff <(cat "$1") <(gunzip < "$2")',
    tape('a'),
    tape('b.gz'),
  );
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('0 differ');
});

it('a page holds what came from a pipe', async () => {
  const { code, out, err } = await bash('$mockri tape view <(cat "$1") | cat; exit "$PIPESTATUS"', tape('a'));
  expect([code, err]).toEqual([0, '']);
  const [, base64 = ''] = /x-mockri-tape"[^>]*>([^<]+)</.exec(out) ?? [];
  expect(base64.length).toBeGreaterThan(100);
});

it('observations and pods can be read from pipes', async () => {
  const pod = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}, "spec": {"containers": [{"name": "app", "image": "nginx"}]}}`;
  const simulated = await bash(`$mockri simulate <(echo '${pod}')`);
  expect([simulated.code, simulated.err]).toEqual([0, '']);
  expect(simulated.out).toContain('Running');
  const seen = await bash(`$mockri reproduce oom-loop --saw <(echo nothing)`);
  expect(seen).toMatchObject({ code: 2, err: expect.stringContaining('unknown format') });
});

it.each([
  ['two tapes', '$mockri tape diff - - < "$1"'],
  ['one pipe for two', '$mockri tape diff /dev/fd/7 /dev/fd/7 7< <(cat "$1")'],
])('an input that can be read only once is refused as %s', async (_, line) => {
  const { code, err } = await bash(line, tape('a'));
  expect([code, err]).toEqual([2, expect.stringContaining('it is given twice; it can be read once only')]);
});

it.each([
  ['a line of a log', '$mockri tape import --from kubelet-log - < /dev/zero', 'the line has more than'],
  ['a line of a tape', '$mockri tape show <(cat /dev/zero)', 'the line has more than'],
  [
    'a file of rules',
    '$mockri fault add --file - < /dev/zero',
    'standard input: it has more than 1048576 bytes',
  ],
  ['a manifest', '$mockri simulate <(cat /dev/zero)', 'it has more than 16777216 bytes'],
])('an endless input has a limit: %s', async (_, line, message) => {
  const { code, err } = await bash(line);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});

it('a closed descriptor is refused as input', async () => {
  const { code, err } = await bash('$mockri tape show /dev/fd/77');
  expect([code, err]).toEqual([
    2,
    expect.stringContaining("/dev/fd/77: it can't be read: no file is open there"),
  ]);
});
