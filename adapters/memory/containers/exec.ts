import type { Clock } from '../../../src/clock/clock.js';
import { type CriError, wrongState } from '../../../src/cri/errors.js';
import type { ExecSpec, ProcessStreams } from '../../../src/engine/backend.js';
import type { Programs } from '../../../src/linux/commands/programs.js';
import type { ContainerFiles } from '../../../src/linux/fs/file-system.js';
import type { ProcessUser } from '../../../src/linux/process/process.js';
import type { ProcessTable } from '../../../src/linux/process/process-table.js';
import { exitCodeOf } from '../../../src/linux/process/signals.js';
import type { StartEnvironment } from './container-env.js';
import { openExecStreams } from './exec-streams.js';
import { programToExec } from './resolve-program.js';

/** Where a command is executed. */
export interface ExecTarget {
  readonly container: {
    readonly id: string;
    readonly clock: Clock;
    readonly user: ProcessUser;
    readonly fs: ContainerFiles;
    startEnvironment(): StartEnvironment;
  };
  readonly processes: ProcessTable;
  readonly programs: Programs;
}

/** Runs a command in a container; resolves with its exit code. Kills it, with its children, when `signal` aborts. */
export async function execIn(
  { container, processes, programs }: ExecTarget,
  { command, tty }: ExecSpec,
  streams: ProcessStreams,
  signal: AbortSignal,
): Promise<number> {
  const { clock, user, fs } = container;
  const { env: ownEnv, cwd } = container.startEnvironment();
  // A terminal sets TERM, whatever the container's own is (containerd container_execsync.go).
  const env = tty ? new Map(ownEnv).set('TERM', 'xterm') : ownEnv;
  const program = await programToExec(programs, command, { fs, cwd, env });
  signal.throwIfAborted();
  if (processes.main === undefined) throw notRunning(container.id);
  const opened = openExecStreams(streams, tty, clock);
  const process = processes.start({ argv: command, program, env, cwd, user, ...opened });
  const kill = () => processes.killTree(process);
  signal.addEventListener('abort', kill, { once: true });
  const status = await clock.idle(process.exit);
  signal.removeEventListener('abort', kill);
  return exitCodeOf(status);
}

/** The error of what needs a running container. */
export const notRunning = (id: string): CriError => wrongState(`container ${id} is not running`);
