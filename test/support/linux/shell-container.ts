import { createVirtualClock, type VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { createPrograms } from '../../../src/linux/commands/index.js';
import type { ContainerFiles } from '../../../src/linux/fs/file-system.js';
import { executable } from '../../../src/linux/fs/image-tree.js';
import type { ByteSink, ByteSource, ContainerView, Terminal } from '../../../src/linux/process/process.js';
import { ProcessTable, type SpawnedProcess } from '../../../src/linux/process/process-table.js';
import { exitCodeOf } from '../../../src/linux/process/signals.js';
import { containerFiles, noNetwork, someView } from './container-files.js';
import { sendSignal } from './send-signal.js';

/** A container for shell tests: a stopped clock, an image's files, few programs. */
export interface TestContainer {
  readonly clock: VirtualClock;
  readonly processes: ProcessTable;
  readonly fs: ContainerFiles;
  /** Starts `argv` in /work as a process and collects its output. */
  start(argv: readonly string[], options?: StartOptions): Promise<TestProcess>;
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
  /** Lets time pass until the process has ended. */
  end(): Promise<{ stdout: string; stderr: string; code: number }>;
}

/** Programs in PATH; the rest are builtins. */
const PROGRAMS = [
  'sh',
  'cat',
  'sleep',
  'yes',
  'head',
  'sort',
  'env',
  'ps',
  'echo',
  'mkdir',
  'touch',
  'cp',
  'stat',
];

/** Longer than any script here (ms). */
const LONGEST = 10 * 60_000;

export async function createTestContainer(): Promise<TestContainer> {
  const clock = createVirtualClock();
  const view: ContainerView = {
    ...someView,
    processes: () => processes.list(),
    kill: (pid, signal) => sendSignal(processes, pid, signal),
    ownProcesses: () => processes.list(),
  };
  const fs = containerFiles('busybox', {}, view);
  const processes = new ProcessTable({ clock, fs, view, ...noNetwork });
  const programs = createPrograms();
  await fs.mkdir('/work');
  await fs.mkdir('/programs');
  for (const name of PROGRAMS) {
    await fs.writeFile(`/programs/${name}`, executable(name).data, { mode: 0o755 });
  }
  const start = async (argv: readonly string[], options: StartOptions = {}): Promise<TestProcess> => {
    const [stdout, stderr] = [collector(), collector()];
    const { uid = 0, tty, stdin = '' } = options;
    const env = new Map(Object.entries({ PATH: '/programs', HOME: '/root', ...options.env }));
    const program = await programs.find(argv[0] ?? '', { fs, cwd: '/work', env });
    if (!program) throw new Error(`there is no ${argv[0]}`);
    const process = processes.start({
      argv,
      program,
      env,
      cwd: '/work',
      user: { uid, gid: uid, groups: [], name: uid === 0 ? 'root' : 'web' },
      stdin: typeof stdin === 'string' ? textSource(stdin) : stdin,
      stdout: options.stdout ?? stdout,
      stderr: options.stdout ?? stderr,
      tty,
    });
    const end = async () => {
      let code: number | undefined;
      void process.exit.then((status) => {
        code = exitCodeOf(status);
      });
      await clock.runUntil(() => code !== undefined, LONGEST);
      if (code === undefined) throw new Error(`it has not ended: ${stdout.text()}${stderr.text()}`);
      await clock.settle();
      return { stdout: stdout.text(), stderr: stderr.text(), code };
    };
    return { process, stdout: stdout.text, stderr: stderr.text, end };
  };
  return { clock, processes, fs, start };
}

/** A container with another process as PID 1, so that further processes can be killed. */
export async function createBusyContainer(): Promise<TestContainer> {
  const container = await createTestContainer();
  await container.start(['sleep', '1000000']);
  return container;
}

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
