import { waitFor } from '../../commands/kit/io.js';
import type { SpawnedProcess } from '../../process/process-table.js';
import { exitCodeOf } from '../../process/signals.js';
import type { Command } from '../syntax/ast.js';
import { reportDeath, startPipeline } from './processes.js';
import { isInteractive, type Shell, write } from './shell.js';

export function runForegroundJob(shell: Shell, stages: readonly Command[]): Promise<number> {
  const group = isInteractive(shell) ? 'new' : undefined;
  return waitForJob(shell, startPipeline(shell, stages, { group }));
}

/** Waits for the processes of a job; meanwhile the terminal's keys reach them. */
export async function waitForJob(shell: Shell, processes: readonly SpawnedProcess[]): Promise<number> {
  const { tty } = shell.process;
  const isControlled = isInteractive(shell) && tty !== undefined;
  if (isControlled) tty.foreground = processes[0]?.group;
  const statuses = await waitFor(shell.process, Promise.all(processes.map(({ exit }) => exit)));
  if (isControlled) tty.foreground = shell.process.group;
  const last = statuses.at(-1);
  if (last === undefined) return 0;
  if (isInteractive(shell) && last.signal === 'INT') await write(shell, 2, '\n');
  await reportDeath(shell, last);
  const codes = statuses.map(exitCodeOf);
  const status = codes.at(-1) as number;
  return shell.options.has('pipefail') ? (codes.findLast((code) => code !== 0) ?? 0) : status;
}
