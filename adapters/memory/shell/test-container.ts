import { createVirtualClock, type VirtualClock } from '../../../src/clock/virtual-clock.js';
import type { Programs } from '../commands/programs.js';
import { FileError, type FileStat, type FileSystem } from '../process/file-system.js';
import type { ByteSink, ByteSource, ContainerView, Program, Terminal } from '../process/process.js';
import { createProcessTable, type ProcessTable, type SpawnedProcess } from '../process/process-table.js';
import { exitCodeOf } from '../process/signals.js';
import { createShell } from './shell.js';

/** A container for tests of the shell alone: a clock that stands still, a few files, a few programs. */
export interface TestContainer {
  readonly clock: VirtualClock;
  readonly processes: ProcessTable;
  readonly files: Map<string, TestFile>;
  /** Starts `argv` as a process; what it writes is collected. */
  start(argv: readonly string[], options?: StartOptions): TestProcess;
}

export interface TestFile {
  readonly kind: 'file' | 'directory';
  readonly data: Buffer;
  readonly mode: number;
}

export interface StartOptions {
  readonly stdin?: string | ByteSource;
  readonly stdout?: ByteSink;
  readonly tty?: Terminal;
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

export interface TestProcess {
  readonly process: SpawnedProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Lets time pass until it has ended. */
  end(): Promise<{ stdout: string; stderr: string; code: number }>;
}

/** More than any script here takes. */
const LONGEST = 10 * 60_000;

export function createTestContainer(): TestContainer {
  const clock = createVirtualClock();
  const files = new Map<string, TestFile>();
  for (const path of ['/', '/tmp', '/etc', '/bin']) files.set(path, directory());
  files.set('/etc/passwd', file('root:x:0:0:root:/root:/bin/sh\nweb:x:1000:1000::/home/web:/bin/sh\n'));
  for (const name of Object.keys(PROGRAMS)) files.set(`/bin/${name}`, file('', 0o755));
  const view = testView(() => processes);
  const processes = createProcessTable({
    clock,
    fs: testFileSystem(files),
    view,
    listen: () => Promise.reject(new Error('no network here')),
  });
  const programs = testPrograms();
  const start = (argv: readonly string[], options: StartOptions = {}): TestProcess => {
    const [stdout, stderr] = [collector(), collector()];
    const uid = options.uid ?? 0;
    const process = processes.start({
      argv,
      program: async (self) => {
        const found = await programs.find(argv[0] ?? '', self);
        return found ? found(self) : { code: 127 };
      },
      env: new Map(Object.entries({ PATH: '/bin', HOME: '/root', ...options.env })),
      cwd: '/tmp',
      user: { uid, gid: uid, groups: [], name: uid === 0 ? 'root' : 'web' },
      stdin: typeof options.stdin === 'object' ? options.stdin : textSource(options.stdin ?? ''),
      stdout: options.stdout ?? stdout,
      stderr: options.stdout ?? stderr,
      tty: options.tty,
    });
    const end = async () => {
      let code: number | undefined;
      void process.exit.then((status) => {
        code = exitCodeOf(status);
      });
      await clock.runUntil(() => code !== undefined, LONGEST);
      if (code === undefined) throw new Error(`it goes on: ${stdout.text()}${stderr.text()}`);
      await clock.settle();
      return { stdout: stdout.text(), stderr: stderr.text(), code };
    };
    return { process, stdout: stdout.text, stderr: stderr.text, end };
  };
  return { clock, processes, files, start };
}

/** A container in which something else is pid 1, so that what is started next can be killed. */
export function createBusyContainer(): TestContainer {
  const container = createTestContainer();
  container.start(['sleep', '1000000']);
  return container;
}

export const file = (text: string, mode = 0o644): TestFile => ({
  kind: 'file',
  data: Buffer.from(text),
  mode,
});
export const directory = (): TestFile => ({ kind: 'directory', data: Buffer.alloc(0), mode: 0o755 });

function textSource(text: string): ByteSource {
  const chunks = text === '' ? [] : [Buffer.from(text)];
  return { read: async () => chunks.shift() ?? null };
}

function collector(): ByteSink & { text: () => string } {
  const chunks: Buffer[] = [];
  return {
    write: async (chunk) => {
      chunks.push(chunk);
    },
    end: () => {},
    text: () => Buffer.concat(chunks).toString(),
  };
}

function testPrograms(): Programs {
  const programs: Programs = {
    find: async (name, { fs, cwd }) => {
      const path = name.includes('/') ? (name.startsWith('/') ? name : `${cwd}/${name}`) : `/bin/${name}`;
      const stat = await fs.stat(path).catch(() => undefined);
      if (!stat || stat.kind !== 'file' || (stat.mode & 0o111) === 0) return undefined;
      const base = path.slice(path.lastIndexOf('/') + 1);
      return base === 'sh' ? createShell(programs) : PROGRAMS[base];
    },
  };
  return programs;
}

const line = (text: string): Buffer => Buffer.from(`${text}\n`);

async function readAll(source: ByteSource): Promise<string> {
  const chunks: Buffer[] = [];
  for (let chunk = await source.read(); chunk; chunk = await source.read()) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  sh: async () => ({ code: 0 }),
  sleep: async (process) => {
    await process.sleep(Number(process.argv[1]) * 1000);
    return { code: 0 };
  },
  cat: async (process) => {
    for (const name of process.argv.slice(1)) await process.stdout.write(await process.fs.readFile(name));
    if (process.argv.length > 1) return { code: 0 };
    for (let chunk = await process.stdin.read(); chunk; chunk = await process.stdin.read()) {
      await process.stdout.write(chunk);
    }
    return { code: 0 };
  },
  yes: async (process) => {
    for (;;) await process.stdout.write(Buffer.from('y\n'.repeat(512)));
  },
  head: async (process) => {
    const lines: string[] = [];
    const count = Number(process.argv.at(-1)?.replace(/^-n?/, ''));
    while (lines.length < count) {
      const chunk = await process.stdin.read();
      if (chunk === null) break;
      lines.push(...chunk.toString().split('\n'));
    }
    await process.stdout.write(line(lines.slice(0, count).join('\n')));
    return { code: 0 };
  },
  sort: async (process) => {
    const lines = (await readAll(process.stdin)).split('\n').filter((text) => text !== '');
    await process.stdout.write(line(lines.sort().join('\n')));
    return { code: 0 };
  },
  env: async (process) => {
    for (const [name, value] of process.env) await process.stdout.write(line(`${name}=${value}`));
    return { code: 0 };
  },
  ps: async (process) => {
    for (const { pid, argv } of process.container.processes()) {
      await process.stdout.write(line(`${pid} ${argv.join(' ')}`));
    }
    return { code: 0 };
  },
};

function testView(processes: () => ProcessTable): ContainerView {
  return {
    id: 'test',
    hostname: 'web-0',
    ips: [],
    memoryLimit: undefined,
    capabilities: [],
    privileged: false,
    readonlyRootfs: false,
    sysctls: new Map(),
    processes: () => processes().list(),
    kill: (pid, signal) => processes().kill(pid, signal),
  } as ContainerView;
}

function testFileSystem(files: Map<string, TestFile>): FileSystem {
  const clean = (path: string) => path.replace(/\/+/g, '/').replace(/(.)\/$/, '$1');
  const get = (path: string): TestFile => {
    const found = files.get(clean(path));
    if (!found) throw new FileError('ENOENT', path);
    return found;
  };
  const stat = async (path: string): Promise<FileStat> => {
    const { kind, mode, data } = get(path);
    return { kind, mode, uid: 0, gid: 0, size: data.length, modifiedAt: 0n };
  };
  const refuse = () => Promise.reject(new FileError('EROFS', 'not in this double'));
  return {
    stat,
    lstat: stat,
    readFile: async (path) => {
      const { kind, data } = get(path);
      if (kind === 'directory') throw new FileError('EISDIR', path);
      return data;
    },
    writeFile: async (path, data, { append = false, mode = 0o644 } = {}) => {
      const name = clean(path);
      get(name.slice(0, name.lastIndexOf('/')) || '/');
      const before = files.get(name);
      if (before?.kind === 'directory') throw new FileError('EISDIR', path);
      const content = append && before ? Buffer.concat([before.data, data]) : Buffer.from(data);
      files.set(name, { kind: 'file', data: content, mode: before?.mode ?? mode });
    },
    readdir: async (path) => {
      if (get(path).kind !== 'directory') throw new FileError('ENOTDIR', path);
      const prefix = `${clean(path)}/`.replace('//', '/');
      const inside = [...files.keys()].filter((name) => name.startsWith(prefix) && name !== prefix);
      return [...new Set(inside.map((name) => name.slice(prefix.length).split('/')[0] as string))];
    },
    mkdir: refuse,
    rmdir: refuse,
    unlink: async (path) => {
      files.delete(clean(path));
    },
    rename: refuse,
    symlink: refuse,
    link: refuse,
    readlink: refuse,
    chmod: refuse,
    utimes: refuse,
  } as FileSystem;
}
