import type { Programs } from '../../commands/programs.js';
import { costOfTexts } from '../../process/memory.js';
import type { Process, SignalName } from '../../process/process.js';
import type { Command, FunctionCommand } from '../syntax/ast.js';
import { toBytes } from '../text.js';
import { CommandError } from './control-flow.js';
import { Jobs } from './jobs.js';
import { FileTable, givenFiles, OpenFile } from './open-file.js';
import type { OptionName } from './options.js';
import { ShellMemory } from './shell-memory.js';
import { Traps } from './traps.js';
import { Variables } from './variables.js';

export interface RunContext {
  /** A condition (`if`, `&&`, `!`): `set -e` doesn't apply to its failure. */
  readonly tested: boolean;
  /** No command follows, so a program can take over the shell's process. */
  readonly last: boolean;
  /** The process was created for it. */
  readonly forked?: boolean;
}

/** Runs a command, and returns its exit status; see control-flow.ts for what it throws. */
export type Run = (shell: Shell, command: Command, context: RunContext) => Promise<number>;

export interface Shell {
  readonly process: Process;
  readonly programs: Programs;
  readonly run: Run;
  /** `$0` */
  readonly arg0: string;
  /** `$$`: a subshell has that of its original shell. */
  readonly pid: number;
  readonly memory: ShellMemory;
  readonly variables: Variables;
  readonly functions: Map<string, FunctionCommand>;
  readonly options: Set<OptionName>;
  readonly traps: Traps;
  readonly jobs: Jobs;
  files: FileTable;
  /** `$1`, `$2`, … */
  positional: readonly string[];
  /** Bytes that the shell pays for them; a function's are its arguments. */
  positionalCost: number;
  cwd: string;
  /** `$?` */
  status: number;
  /** Status of the last `$(…)` of the present command; 0 without one. */
  substitutionStatus: number;
  /** `$!` */
  lastBackground: number | undefined;
  /** Name of the script for messages; undefined for `-c` and a terminal. */
  script: string | undefined;
  /** `$LINENO` */
  line: number;
  loops: number;
  calls: number;
  /** Commands since time last passed. */
  steps: number;
  /** The status of `exit` without a number in a trap. */
  trapStatus: number | undefined;
}

/** `arg0` and `positional` are `$0` and `$1`, `$2`, …. */
export interface ShellStart {
  readonly process: Process;
  readonly programs: Programs;
  readonly run: Run;
  readonly arg0: string;
  readonly positional: readonly string[];
  readonly options: Iterable<OptionName>;
}

/** A new shell: its variables are the environment, and its own IFS, OPTIND, PWD and SHLVL. */
export function startShell({ process, programs, run, arg0, positional, options }: ShellStart): Shell {
  const files = givenFiles.get(process) ?? ownFiles(process);
  const memory = new ShellMemory(process);
  const variables = Variables.fromEnvironment(process.env, (bytes) => memory.keep(bytes));
  variables.set('IFS', ' \t\n');
  variables.set('OPTIND', '1');
  variables.set('PWD', process.cwd, true);
  variables.set('SHLVL', String(Number(variables.get('SHLVL') ?? 0) + 1 || 1), true);
  return {
    process,
    programs,
    run,
    arg0,
    pid: process.pid,
    memory,
    variables,
    functions: new Map(),
    options: new Set(options),
    traps: new Traps(process),
    jobs: new Jobs(process),
    files,
    positional,
    positionalCost: 0,
    cwd: process.cwd,
    status: 0,
    substitutionStatus: 0,
    lastBackground: undefined,
    script: undefined,
    line: 0,
    loops: 0,
    calls: 0,
    steps: 0,
    trapStatus: undefined,
  };
}

function ownFiles(process: Process): FileTable {
  const files = new FileTable();
  files.set(0, new OpenFile({ source: process.stdin }));
  files.set(1, new OpenFile({ sink: process.stdout }));
  files.set(2, new OpenFile({ sink: process.stderr }));
  return files;
}

/** A copy in a child process: the parent doesn't see its changes (POSIX 2.12). */
export function forkShell(shell: Shell, process: Process, files: FileTable): Shell {
  const traps = new Traps(process);
  for (const [condition, action] of shell.traps.entries()) if (action === '') traps.set(condition, '');
  const options = new Set(shell.options);
  options.delete('interactive');
  options.delete('monitor');
  const memory = new ShellMemory(process, shell.memory);
  return {
    ...shell,
    process,
    files,
    traps,
    options,
    memory,
    variables: shell.variables.clone((bytes) => memory.keep(bytes)),
    functions: new Map(shell.functions),
    jobs: new Jobs(process),
    loops: 0,
    trapStatus: undefined,
  };
}

/** Sets `$1`, `$2`, …; the shell pays for them. */
export function setPositional(shell: Shell, positional: readonly string[]): void {
  const cost = costOfTexts(positional);
  shell.memory.keep(cost - shell.positionalCost);
  shell.positional = positional;
  shell.positionalCost = cost;
}

/** Runs a body with other `$1`, `$2`, …, which somebody else pays for. */
export async function withPositional<T>(
  shell: Shell,
  given: readonly string[],
  body: () => Promise<T>,
): Promise<T> {
  const { positional, positionalCost } = shell;
  shell.positional = given;
  shell.positionalCost = 0;
  try {
    return await body();
  } finally {
    shell.memory.keep(-shell.positionalCost);
    shell.positional = positional;
    shell.positionalCost = positionalCost;
  }
}

/** Bytes per write: pipes take this many at once. */
const PIECE = 64 * 1024;
/** Maximum bytes of a character. */
const BYTES_OF_CHARACTER = 3;

export async function write(shell: Shell, fd: number, text: string): Promise<void> {
  if (text === '') return;
  const file = shell.files.get(fd);
  if (!file?.isWritable) throw new CommandError('write error: Bad file descriptor');
  if (text.length > PIECE) shell.memory.hold(BYTES_OF_CHARACTER * text.length);
  const bytes = toBytes(text);
  for (let at = 0; at < bytes.length; at += PIECE) {
    const piece = bytes.subarray(at, at + PIECE);
    await shell.process.work(piece.length);
    await file.write(piece, shell.process.killed);
  }
}

/** Prints an error in busybox's format: `sh: cd: line 3: can't cd to /x: No such file or directory`. */
export async function complain(shell: Shell, message: string, builtin?: string): Promise<void> {
  const hasLine = !isInteractive(shell) && (shell.script !== undefined || builtin !== undefined);
  // Busybox counts the lines of -c from 0.
  const line = hasLine ? [`line ${shell.line - (shell.options.has('command') ? 1 : 0)}`] : [];
  const from = shell.script !== undefined && shell.script !== shell.arg0 ? [shell.script] : [];
  const parts = [shell.arg0, ...from, ...(builtin ? [builtin] : []), ...line];
  await write(shell, 2, `${parts.join(': ')}: ${message}\n`).catch(ignoreClosed);
}

/** `-i`, or commands that are read from a terminal. */
export const isInteractive = (shell: Shell): boolean => shell.options.has('interactive');

/** Waits with a signal that aborts when the process is killed or catches a signal; returns the caught one. */
export async function waitInterruptibly<T>(
  shell: Shell,
  begin: (signal: AbortSignal) => Promise<T>,
): Promise<{ readonly value: T } | { readonly caught: SignalName }> {
  const { killed } = shell.process;
  const controller = new AbortController();
  let caught: SignalName | undefined;
  const stopTraps = shell.traps.onCatch((signal) => {
    caught = signal;
    controller.abort();
  });
  const abort = () => controller.abort(killed.reason);
  killed.addEventListener('abort', abort, { once: true });
  try {
    return { value: await begin(controller.signal) };
  } catch (error) {
    killed.throwIfAborted();
    if (caught === undefined) throw error;
    return { caught };
  } finally {
    stopTraps();
    killed.removeEventListener('abort', abort);
  }
}

function ignoreClosed(error: unknown): void {
  if (!(error instanceof CommandError)) throw error;
}
