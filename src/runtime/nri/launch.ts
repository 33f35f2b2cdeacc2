import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Duplex } from 'node:stream';
import { readTextFile } from '../../base/input/text-file.js';
import { UserError } from '../../base/input/user-error.js';
import { pipeOf } from '../ttrpc/pipe.js';
import type { NriHost } from './host.js';
import type { NriLog } from './options.js';
import type { Launched } from './plugin.js';

interface Program extends Launched {
  readonly path: string;
}

const SOCKET = 3;
/** Below the directory of plugins: their configuration, as `10-NAME.conf` or `NAME.conf`. */
const CONFIGS = 'conf.d';

/** Starts the programs of a directory as containerd does; returns a function that ends them. Throws UserError. */
export async function launchPlugins(directory: string, host: NriHost, log: NriLog): Promise<() => void> {
  const children: ChildProcess[] = [];
  await Promise.all(
    programsOf(directory).map(async ({ path, ...launched }) => {
      const name = `${launched.index}-${launched.base}`;
      const child = spawn(path, [], {
        // Plugins' output goes to stderr with the log: stdout has the ready line.
        stdio: ['ignore', process.stderr.fd, process.stderr.fd, 'pipe'],
        env: {
          NRI_PLUGIN_NAME: launched.base,
          NRI_PLUGIN_IDX: launched.index,
          NRI_PLUGIN_SOCKET: String(SOCKET),
        },
      });
      children.push(child);
      child.on('error', (error) => log.warn(`plugin "${name}" can't be started: ${error.message}`));
      child.on('exit', (code, signal) =>
        log.info(`plugin "${name}" has ended (${signal ?? `exit code ${code}`})`),
      );
      const socket = child.stdio[SOCKET];
      if (!(socket instanceof Duplex)) throw new Error(`plugin "${name}" has no socket`);
      await host.connect(pipeOf(socket), launched);
    }),
  );
  return () => {
    for (const child of children) child.kill('SIGKILL');
  };
}

function programsOf(directory: string): Program[] {
  const programs = namesIn(directory).filter((name) => isProgram(join(directory, name)));
  return programs.map((name) => {
    const [, index, base] = /^(\d\d)-([A-Za-z0-9_.+-]+)$/.exec(name) ?? [];
    if (index === undefined || base === undefined)
      throw new UserError(
        `--nri-plugin ${directory}: ${JSON.stringify(name)} is not the name of a plugin: expected two digits, "-" and a name, as in 10-logger`,
      );
    return { path: join(directory, name), index, base, config: configOf(directory, index, base) };
  });
}

function configOf(directory: string, index: string, base: string): string {
  for (const name of [`${index}-${base}.conf`, `${base}.conf`]) {
    const file = join(directory, CONFIGS, name);
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return readTextFile(file, '--nri-plugin');
  }
  return '';
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch (error) {
    throw new UserError(`--nri-plugin ${directory}: ${(error as Error).message}`);
  }
}

/** An unreadable path, such as a link to itself, is not a program. */
function isProgram(path: string): boolean {
  try {
    const stats = statSync(path);
    return stats.isFile() && (stats.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}
