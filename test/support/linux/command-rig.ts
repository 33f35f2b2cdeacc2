import type { Clock } from '../../../src/base/clock/clock.js';
import { NODE } from '../../../src/base/clock/network/loopback.js';
import { createVirtualClock, type VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { listenOn } from '../../../src/base/network/listen.js';
import { SimulatedNetwork } from '../../../src/base/network/network.js';
import { createPrograms, shellCommands } from '../../../src/linux/commands/index.js';
import type { CommandTable, Programs } from '../../../src/linux/commands/programs.js';
import { createPipe } from '../../../src/linux/process/pipe.js';
import type { ContainerView, ExitStatus, Listener, ProcessUser } from '../../../src/linux/process/process.js';
import {
  ProcessTable,
  type SpawnedProcess,
  type TableOptions,
} from '../../../src/linux/process/process-table.js';
import { containerFiles, someView } from './container-files.js';
import { sendSignal } from './send-signal.js';

/** For tests: a container on a virtual clock, whose processes can run any commands. */
export interface CommandRig {
  readonly clock: VirtualClock;
  readonly programs: Programs;
  readonly processes: ProcessTable;
  /** Runs a command line to its end; time passes as needed. */
  run(line: string | readonly string[], input?: string): Promise<Ran>;
  /** Starts a command line and returns while it runs. */
  start(line: string | readonly string[]): Promise<Started>;
}

export interface Ran {
  readonly status: ExitStatus;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly process: SpawnedProcess;
  readonly output: { readonly stdout: string; readonly stderr: string };
}

export interface RigOptions {
  /** Default: busybox. */
  readonly image?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly mounts?: NonNullable<Parameters<typeof containerFiles>[1]>['mounts'];
  readonly user?: ProcessUser;
  readonly view?: Partial<ContainerView>;
  /** Additional commands of the tests. */
  readonly programs?: CommandTable;
  readonly listen?: (clock: Clock, ...listen: Parameters<TableOptions['listen']>) => Promise<Listener>;
  /** Translates an address that the pod has in the cluster. */
  readonly localAddress?: (address: string) => string;
}

const ROOT: ProcessUser = { uid: 0, gid: 0, groups: [0, 10], name: 'root' };
const PATH = '/usr/local/bin:/usr/sbin:/bin';
/** Longer than any command here, in ms. */
const LIMIT = 1e9;

export function createRig(options: RigOptions = {}): CommandRig {
  const clock = createVirtualClock({ start: 1_795_245_065_123_456_789n });
  const installed = createPrograms();
  const programs: Programs = {
    find: async (name, from) => {
      const table = { ...shellCommands(programs), ...options.programs };
      return Object.hasOwn(table, name) ? table[name] : installed.find(name, from);
    },
  };
  const view: ContainerView = {
    ...someView,
    processes: () => processes.list(),
    kill: (pid, signal) => sendSignal(processes, pid, signal),
    ownProcesses: () => processes.list(),
    ...options.view,
  };
  const network = new SimulatedNetwork({ clock, localAddress: options.localAddress });
  const [ip] = view.ips;
  const listen: TableOptions['listen'] = (port, accept) =>
    options.listen?.(clock, port, accept) ??
    listenOn(clock, [{ address: ip ?? NODE, port, isOnMachine: false }], accept);
  const connect: TableOptions['connect'] = (address, port, signal) =>
    network.connect(address, port, signal, ip);
  const fs = containerFiles(options.image, { mounts: options.mounts ?? [] }, view, undefined, clock);
  const written = Promise.all(
    Object.entries(options.files ?? {}).map(([path, text]) => fs.writeFile(path, Buffer.from(text))),
  );
  const processes = new ProcessTable({ clock, fs, view, connect, listen });
  const user = options.user ?? ROOT;
  // PID 1, which is not under test.
  processes.start({
    argv: ['init'],
    program: (process) => process.sleep(LIMIT * 2).then(() => ({ code: 0 })),
    user,
  });

  const start = async (line: string | readonly string[], input?: string): Promise<Started> => {
    await written;
    const argv = typeof line === 'string' ? line.split(' ') : line;
    const env = new Map([['PATH', PATH]]);
    const program = await programs.find(argv[0] ?? '', { fs, cwd: '/', env });
    if (program === undefined) throw new Error(`no command ${argv[0]}`);
    const output = { stdout: '', stderr: '' };
    const sink = (name: 'stdout' | 'stderr') => ({
      write: async (chunk: Buffer) => {
        output[name] += chunk.toString();
      },
      end: () => {},
    });
    const stdin = createPipe(clock);
    // Input beyond the pipe's capacity is written while the process reads.
    const sent = input === undefined ? undefined : stdin.write(Buffer.from(input));
    void Promise.resolve(sent).then(
      () => stdin.end(),
      () => {}, // It has ended without reading everything.
    );
    const streams = { stdin, stdout: sink('stdout'), stderr: sink('stderr') };
    const process = processes.start({ argv, program, user, env, ...streams });
    await clock.settle();
    return { process, output };
  };

  return {
    clock,
    programs,
    processes,
    start,
    run: async (line, input) => {
      const { process, output } = await start(line, input);
      let status: ExitStatus | undefined;
      void process.exit.then((given) => {
        status = given;
      });
      await clock.runUntil(() => status !== undefined, LIMIT);
      if (status === undefined) throw new Error(`${String(line)} has not ended`);
      return { status, ...output };
    },
  };
}
