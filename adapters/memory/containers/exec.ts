import type { Clock } from '../../../src/base/clock/clock.js';
import { type CriError, wrongState } from '../../../src/cri/errors.js';
import type { ContainerConfig, PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { execExitOf } from '../../../src/linux/behavior/behavior-program.js';
import type { Behavior } from '../../../src/linux/behavior/parse-behavior.js';
import type { ContainerFiles } from '../../../src/linux/fs/file-system.js';
import type { ProcessUser } from '../../../src/linux/process/process.js';
import type { ProcessTable } from '../../../src/linux/process/process-table.js';
import { exitCodeOf } from '../../../src/linux/process/signals.js';
import type { ExecSpec, ProcessStreams } from '../../../src/runtime/engine/backend.js';
import type { Commands } from '../commands.js';
import { factsOfConfig } from '../guess/facts.js';
import type { StoredImage } from '../images/image-store.js';
import type { StartEnvironment } from './container-env.js';
import { openExecStreams } from './exec-streams.js';
import { programToExec } from './resolve-program.js';

export interface ExecTarget {
  readonly container: {
    readonly id: string;
    readonly clock: Clock;
    readonly user: ProcessUser;
    readonly fs: ContainerFiles;
    readonly image: StoredImage | undefined;
    readonly config: ContainerConfig;
    readonly sandboxConfig: PodSandboxConfig;
    startEnvironment(): StartEnvironment;
  };
  /** Replaces the commands. */
  readonly behavior: Behavior | undefined;
  /** How long ago its behavior began, in ms. */
  readonly behaviorAge: number;
  readonly processes: ProcessTable;
  /** Whether the container has a main process, which the command does not outlive. */
  readonly hasMain: boolean;
  readonly commands: Commands;
}

/** Time limit in ms for a probe or hook whose programs are unavailable here: its condition will never become true. */
const LONGEST_GUESS = 10_000;

/** Resolves with the command's exit code. Kills it and its children when `signal` aborts. */
export async function execIn(
  { container, behavior, behaviorAge, processes, hasMain, commands }: ExecTarget,
  { command, tty, isSync = false, outputWait = 0, expired, ended }: ExecSpec,
  streams: ProcessStreams,
  signal: AbortSignal,
): Promise<number> {
  const { clock, user, fs } = container;
  if (behavior?.execDelay !== undefined) await clock.sleep(behavior.execDelay, signal);
  const forced = behavior && execExitOf(behavior, behaviorAge);
  if (forced !== undefined) return forced;
  const { env: ownEnv, cwd } = container.startEnvironment();
  // A terminal sets TERM, regardless of the container's environment (containerd container_execsync.go).
  const env = tty ? new Map(ownEnv).set('TERM', 'xterm') : ownEnv;
  const isGuess =
    isSync &&
    behavior?.healthy !== undefined &&
    commands.needsImage(command, factsOfConfig(container, '', undefined), container.image?.content);
  const program = await programToExec(isGuess ? commands.anyPrograms : commands.programs, command, {
    fs,
    cwd,
    env,
  });
  signal.throwIfAborted();
  if (hasMain && processes.main === undefined) throw notRunning(container.id);
  const { holders, ...opened } = openExecStreams(streams, tty, clock);
  const process = processes.start({ argv: command, program, env, cwd, user, ...opened });
  const kill = () => processes.killTree(process);
  const killAlone = () => process.die({ signal: 'KILL' });
  signal.addEventListener('abort', kill, { once: true });
  expired?.addEventListener('abort', killAlone, { once: true });
  const late = isGuess ? clock.setTimer(LONGEST_GUESS, kill) : undefined;
  const status = await clock.idle(process.exit);
  late?.cancel();
  signal.removeEventListener('abort', kill);
  expired?.removeEventListener('abort', killAlone);
  ended?.();
  if (outputWait > 0) await holders.gone(outputWait, signal);
  return isGuess && !signal.aborted ? 0 : exitCodeOf(status);
}

export const notRunning = (id: string): CriError => wrongState(`container ${id} is not running`);
