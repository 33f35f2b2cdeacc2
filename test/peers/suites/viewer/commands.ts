import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const COMMAND = 'dist/src/cli/main.js';

/** Directory of the test's files. */
export const scratch = process.env.SCRATCH ?? '';

/** Resolves with the command's standard output. Rejects for any exit code but 0. */
export async function mockri(...flags: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [COMMAND, ...flags], { maxBuffer: 2 ** 28 });
  return stdout;
}

/** Runs the command, which must exit with 1. Resolves with its standard output. */
export async function mockriFails(...flags: readonly string[]): Promise<string> {
  const { code, stdout } = await mockri(...flags).then(
    () => ({ code: 0, stdout: '' }),
    (error: { readonly code: unknown; readonly stdout: string }) => error,
  );
  if (code !== 1) throw new Error(`mockri ${flags.join(' ')}: exit code ${code}`);
  return stdout;
}

/** Writes text into a file of the test; returns its address. */
export function fileOf(name: string, text: string): string {
  const path = join(scratch, name);
  writeFileSync(path, text);
  return `file://${path}`;
}

/** The page of a scenario as a file. */
export const scenarioPage = async (name: string): Promise<string> =>
  fileOf(`${name}.html`, await mockri('simulate', name, '--output', 'html'));

/** A running command. */
interface Started {
  /** The first line of its standard output. */
  readonly line: string;
  readonly pid: number;
  readonly stop: () => void;
}

/** Starts a command that runs until the test ends; resolves with its first line. */
export async function start(...flags: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [COMMAND, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
  const stop = () => void child.kill();
  process.once('exit', stop);
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  return { line: String(data), pid: child.pid as number, stop };
}
