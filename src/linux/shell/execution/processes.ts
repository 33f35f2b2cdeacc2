import { GrowingBuffer } from '../../../base/input/growing-buffer.js';
import { waitFor } from '../../commands/kit/io.js';
import { createPipe } from '../../process/pipe.js';
import type { ExitStatus, ProcessGroup, Program } from '../../process/process.js';
import { CannotFork, type SpawnedProcess } from '../../process/process-table.js';
import { exitCodeOf } from '../../process/signals.js';
import type { Command } from '../syntax/ast.js';
import { toText } from '../text.js';
import { ShellError } from './control-flow.js';
import { finish } from './finish.js';
import { type FileTable, givenFiles, OpenFile } from './open-file.js';
import { forkShell, type Shell, write } from './shell.js';

const NEWLINE = 0x0a;

/** Maximum number of bytes of `$(…)`, so that `$(yes)` ends. */
const MAX_SUBSTITUTION = 16 * 1024 * 1024;
/** Memory of a byte of it: in a growing buffer, and as text. */
const OUTPUT_COST = 4;

export interface ForkOptions {
  readonly files: FileTable;
  readonly group?: ProcessGroup | 'new' | undefined;
  readonly prepare?: (child: Shell) => void;
}

export function fork(shell: Shell, command: Command, { files, group, prepare }: ForkOptions): SpawnedProcess {
  const program: Program = async (process) => {
    const child = forkShell(shell, process, files);
    prepare?.(child);
    return finish(child, () => child.run(child, command, { tested: false, last: true, forked: true }));
  };
  return spawn(shell, { argv: shell.process.argv, program, files, group });
}

/** A child with a program; without `env` it inherits the shell's. */
export interface SpawnRequest {
  readonly argv: readonly string[];
  readonly program: Program;
  readonly files: FileTable;
  readonly env?: ReadonlyMap<string, string>;
  readonly group?: ProcessGroup | 'new' | undefined;
}

/** Starts a process that holds these descriptors until it ends. Throws ShellError if there are too many. */
export function spawn(shell: Shell, { argv, program, files, env, group }: SpawnRequest): SpawnedProcess {
  const { length } = shell.process.container.ownProcesses();
  // All share the processors, so forks become slower, and their total rate stays the same.
  shell.steps += Math.max(length / 4, length ** 2 / 20);
  try {
    const process = shell.process.spawn({
      argv,
      program: (child) => {
        givenFiles.set(child, files);
        return program(child);
      },
      cwd: shell.cwd,
      ...files.streams(),
      ...(env && { env }),
      ...(group && { group }),
    });
    void process.exit.then(() => files.closeAll());
    return process;
  } catch (error) {
    files.closeAll();
    throw error instanceof CannotFork ? new ShellError(error.message) : error;
  }
}

export function startPipeline(
  shell: Shell,
  stages: readonly Command[],
  options: { readonly group?: 'new' | undefined; readonly prepare?: (child: Shell) => void } = {},
): SpawnedProcess[] {
  const processes: SpawnedProcess[] = [];
  let input: OpenFile | undefined;
  for (const [index, stage] of stages.entries()) {
    const files = shell.files.clone();
    if (input) files.set(0, input);
    if (index < stages.length - 1) {
      const ends = openPipe(shell);
      files.set(1, ends.output);
      input = ends.input;
    }
    const group = options.group && (processes[0]?.group ?? options.group);
    const prepare = index === 0 ? options.prepare : undefined;
    processes.push(fork(shell, stage, { files, group, ...(prepare && { prepare }) }));
  }
  return processes;
}

function openPipe(shell: Shell): { input: OpenFile; output: OpenFile } {
  const pipe = createPipe(shell.process.clock);
  return {
    input: new OpenFile({ source: pipe, close: () => pipe.close() }),
    output: new OpenFile({ sink: pipe, close: () => pipe.end() }),
  };
}

export async function reportDeath(shell: Shell, status: ExitStatus): Promise<void> {
  const death = describeDeath(status);
  if (death !== undefined) await write(shell, 2, `${death}\n`);
}

/** The output of a command, without trailing newlines (POSIX 2.6.3). Keeps its status. */
export async function captureOutput(shell: Shell, command: Command): Promise<string> {
  const { input, output } = openPipe(shell);
  const files = shell.files.clone();
  files.set(1, output);
  input.retain();
  const process = fork(shell, command, { files });
  const bytes = new GrowingBuffer();
  for (
    let chunk = await input.read(shell.process.killed);
    chunk;
    chunk = await input.read(shell.process.killed)
  ) {
    shell.memory.hold(OUTPUT_COST * chunk.length);
    bytes.append(chunk);
    if (bytes.length > MAX_SUBSTITUTION) break;
  }
  input.release();
  if (bytes.length > MAX_SUBSTITUTION) throw new ShellError('out of memory');
  shell.substitutionStatus = exitCodeOf(await waitFor(shell.process, process.exit));
  return outputText(shell, bytes.bytes());
}

/** Bytes that it decodes before it lets other tasks run. */
const PIECE = 64 * 1024;

async function outputText(shell: Shell, bytes: Buffer): Promise<string> {
  let end = bytes.length;
  while (bytes[end - 1] === NEWLINE) end--;
  let text = '';
  for (let start = 0; start < end; ) {
    let stop = Math.min(start + PIECE, end);
    // A piece must not end in the middle of a character.
    for (let back = 0; stop < end && back < 3 && ((bytes[stop] ?? 0) & 0xc0) === 0x80; back++) stop--;
    text += toText(bytes.subarray(start, stop)).replaceAll('\0', '');
    await shell.process.work(stop - start);
    start = stop;
  }
  return text;
}

const TEXTS: Readonly<Record<string, string>> = {
  HUP: 'Hangup',
  QUIT: 'Quit',
  ILL: 'Illegal instruction',
  TRAP: 'Trace/breakpoint trap',
  ABRT: 'Aborted',
  BUS: 'Bus error',
  FPE: 'Floating point exception',
  KILL: 'Killed',
  USR1: 'User defined signal 1',
  SEGV: 'Segmentation fault',
  USR2: 'User defined signal 2',
  ALRM: 'Alarm clock',
  TERM: 'Terminated',
};

/** A shell's message about a killed command; undefined for INT and PIPE, which are silent. */
function describeDeath(status: ExitStatus): string | undefined {
  if (status.signal === undefined || status.signal === 'INT' || status.signal === 'PIPE') return undefined;
  return TEXTS[status.signal] ?? `Killed by signal ${status.signal}`;
}
