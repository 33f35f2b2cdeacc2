import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import {
  after,
  before,
  ContainerState,
  inStatus,
  type Mutant,
  mutant,
  onFailure,
  refuse,
  sleep,
} from './mutant.js';

const MEBIBYTE = 1024 * 1024;

const exec: readonly Mutant[] = [
  mutant(
    'ExecSync mixes stderr into stdout',
    'INV-43.split',
    after('execSync', ({ stdout, stderr, exitCode }) => ({
      stdout: Buffer.concat([stdout, stderr]),
      stderr: Buffer.alloc(0),
      exitCode,
    })),
  ),
  mutant(
    'ExecSync loses the exit code',
    'INV-43.split',
    after('execSync', (reply) => {
      reply.exitCode = 0;
    }),
  ),
  mutant(
    'ExecSync treats output as UTF-8',
    'INV-43.binary',
    after('execSync', (reply) => {
      reply.stdout = Buffer.from(reply.stdout.toString('utf8'));
    }),
  ),
  mutant(
    'ExecSync returns 17 MiB',
    'INV-43.limit',
    after('execSync', (reply) => {
      if (reply.stdout.length >= MEBIBYTE) reply.stdout = Buffer.alloc(17 * MEBIBYTE);
    }),
  ),
  mutant(
    'ExecSync fails when the output is too long',
    'INV-43.limit',
    after('execSync', (reply) => {
      if (reply.stdout.length > 15 * MEBIBYTE) refuse(13);
    }),
  ),
  mutant(
    'ExecSync returns OK with exit code -1 after a timeout',
    'INV-43.timeout',
    onFailure('execSync', (error, { timeout }) => {
      if (timeout !== 1n) throw error;
      return { stdout: Buffer.alloc(0), stderr: Buffer.from('command timed out'), exitCode: -1 };
    }),
  ),
  mutant('ExecSync does not kill the process after a timeout', 'INV-43.timeout', (real) => ({
    execSync: async (request, call) => {
      if (request.timeout !== 1n) return real.execSync(request, call);
      const signal = new AbortController().signal;
      void real.execSync({ ...request, timeout: 60n }, { ...call, signal }).catch(() => {});
      await sleep(1000);
      return refuse(4);
    },
  })),
  mutant(
    'ExecSync waits for what the command has left behind',
    'INV-43.background',
    after('execSync', async (_reply, { cmd }) => {
      const [, seconds] = /^sleep (\d+) &/.exec(cmd.at(-1) ?? '') ?? [];
      if (seconds !== undefined) await sleep(1000 * Number(seconds));
    }),
  ),
  mutant(
    'ExecSync without a command is OK',
    'INV-43.no-command',
    onFailure('execSync', () => ({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 })),
  ),
  mutant(
    'Exec works without any stream',
    'INV-44.validation',
    before('exec', (request) => {
      request.stdout ||= !request.stdin && !request.stderr;
    }),
  ),
  mutant(
    'Attach accepts stderr with a tty',
    'INV-44.validation',
    onFailure('attach', () => ({ url: 'http://127.0.0.1/attach/x' })),
  ),
  mutant('Exec returns the same URL again', 'INV-45.url', (real) => {
    let first: string | undefined;
    return after('exec', (reply) => {
      first ??= reply.url;
      reply.url = first;
    })(real);
  }),
  mutant(
    'PortForward returns a path instead of a URL',
    'INV-45.url',
    after('portForward', (reply) => {
      reply.url = new URL(reply.url).pathname;
    }),
  ),
  mutant(
    'nobody listens on the streaming port',
    ['INV-45.unknown-token', 'INV-64.exec-SPDY', 'INV-64.exec-WebSocket'],
    after('exec', (reply) => {
      reply.url = reply.url.replace(/:\d+\//, ':1/');
    }),
  ),
  mutant('an unknown token returns 200', 'INV-45.unknown-token', (real, { atEnd }) => {
    const server = createServer((_, response) => response.end('fine')).listen(0, '127.0.0.1');
    atEnd(() => server.close());
    return after('exec', (reply) => {
      const url = new URL(reply.url);
      url.port = String((server.address() as AddressInfo).port);
      reply.url = url.href;
    })(real);
  }),
];

/** Rewrites the log of a container after it has exited. */
const inLog = (by: (lines: string[]) => readonly string[]) => {
  const done = new Set<string>();
  return inStatus(async ({ id, state, logPath }) => {
    if (state !== ContainerState.CONTAINER_EXITED || done.has(id)) return;
    done.add(id);
    await editLines(logPath, by);
  });
};

async function editLines(path: string, by: (lines: string[]) => readonly string[]): Promise<void> {
  const lines = (await readFile(path, 'utf8')).split('\n').slice(0, -1);
  await writeFile(
    path,
    by(lines)
      .map((line) => `${line}\n`)
      .join(''),
  );
}

/** The rotated files of a log, oldest first. */
async function rotated(path: string): Promise<string[]> {
  const files = await readdir(dirname(path));
  return files
    .sort()
    .map((file) => join(dirname(path), file))
    .filter((file) => file.startsWith(`${path}.`));
}

const logs: readonly Mutant[] = [
  mutant('log times have no fraction', 'INV-46.format', (real) =>
    inLog((lines) => lines.map((line) => line.replace(/\.\d+/, '')))(real),
  ),
  mutant('stderr is logged as stdout', 'INV-46.format', (real) =>
    inLog((lines) => lines.map((line) => line.replace(' stderr ', ' stdout ')))(real),
  ),
  mutant('log lines have no tag', 'INV-46.format', (real) =>
    inLog((lines) => lines.map((line) => line.replace(/ [PF] /, ' ')))(real),
  ),
  mutant('empty lines are not logged', 'INV-46.format', (real) =>
    inLog((lines) => lines.filter((line) => !line.endsWith(' F ')))(real),
  ),
  mutant('long lines are split without P', 'INV-46.partial', (real) =>
    inLog((lines) => lines.map((line) => line.replace(' stdout P ', ' stdout F ')))(real),
  ),
  mutant('the rest of a long line is lost', 'INV-46.partial', (real) =>
    inLog((lines) => lines.filter((line) => !line.includes(' stdout P ')))(real),
  ),
  mutant(
    'a line is lost on reopen',
    'INV-46.rotation',
    after('reopenContainerLog', async (_, { containerId }, real) => {
      const call = { signal: new AbortController().signal, deadline: undefined };
      const { status } = await real.containerStatus({ containerId, verbose: false }, call);
      const last = (await rotated(status?.logPath ?? '')).at(-1);
      if (last) await editLines(last, (lines) => lines.slice(0, -1));
    }),
  ),
  mutant(
    'a line is duplicated on reopen',
    'INV-46.rotation',
    after('reopenContainerLog', async (_, { containerId }, real) => {
      const call = { signal: new AbortController().signal, deadline: undefined };
      const { status } = await real.containerStatus({ containerId, verbose: false }, call);
      const last = (await rotated(status?.logPath ?? '')).at(-1);
      if (last) await editLines(last, (lines) => [...lines, ...lines.slice(-1)]);
    }),
  ),
  mutant('ReopenContainerLog is OK and does nothing', 'INV-46.rotation', () => ({
    reopenContainerLog: async () => ({}),
  })),
  mutant(
    'ReopenContainerLog creates a file and fails',
    'INV-46.reopen-stopped',
    onFailure('reopenContainerLog', async (error, { containerId }, real, call) => {
      const { status } = await real.containerStatus({ containerId, verbose: false }, call);
      await writeFile(status?.logPath ?? '', '');
      throw error;
    }),
  ),
  mutant('RemoveContainer removes the log', 'INV-47.kept', (real) => ({
    removeContainer: async (request, call) => {
      const { status } = await real.containerStatus({ ...request, verbose: false }, call);
      const reply = await real.removeContainer(request, call);
      await rm(status?.logPath ?? '', { force: true });
      return reply;
    },
  })),
];

export const ioMutants: readonly Mutant[] = [...exec, ...logs];
