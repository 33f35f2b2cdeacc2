import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { UserError } from '../../../../base/input/user-error.js';
import { goMinor, goVersions, type Toolchain } from '../overlay/overlay.js';

/** How a command of Go is run. */
export interface GoOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Ends the command and all that it has started. */
  readonly signal?: AbortSignal | undefined;
  /** Gets each line of standard error. */
  readonly line?: (text: string) => void;
  readonly program?: string;
}

/** The last lines of an output that an error shows. */
const SHOWN = 20;

/** Runs a command of Go; resolves with its standard output. Throws UserError with its messages if it fails. */
export function runGo(args: readonly string[], options: GoOptions): Promise<string> {
  const { directory, environment = {}, signal, line, program = 'go' } = options;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: directory,
      // Compilers are its children: they end together.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GOFLAGS: '', ...environment },
    });
    const stop = () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    };
    signal?.addEventListener('abort', stop, { once: true });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const last: string[] = [];
    createInterface({ input: child.stderr }).on('line', (text) => {
      last.push(text);
      if (last.length > SHOWN) last.shift();
      line?.(text);
    });
    child.once('error', ({ message }) => reject(new UserError(`${program}: ${message}`)));
    child.once('close', (code) => {
      signal?.removeEventListener('abort', stop);
      if (signal?.aborted) return reject(signal.reason);
      if (code === 0) return resolve(output);
      const text = last.join('\n') || output.trim();
      reject(new UserError(`go ${args[0]} failed:\n${text}`));
    });
  });
}

/** The version of the installed Go. Throws UserError if there is none. */
export async function installedGo(directory: string, signal?: AbortSignal): Promise<string> {
  try {
    return (await runGo(['env', 'GOVERSION'], { directory, signal, environment: LOCAL })).trim();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `Go is needed to build a program for virtual time: install Go 1.21 or later (https://go.dev/dl); it fetches other versions of itself. ${error.message}`,
    );
  }
}

const LOCAL = { GOTOOLCHAIN: 'local' };

/**
 * The version of Go that builds a program: the installed one if it has the wanted minor version, else the wanted one, or
 * the first that the edits fit if that is later.
 */
export function chooseGo(installed: string, wanted: string): string {
  const minor = Number(/^1\.(\d+)/.exec(wanted)?.[1]);
  if (minor < goVersions.first) return chooseGo(installed, goVersions.firstRelease);
  goMinor(`go${wanted}`);
  const [, same] = /^go1\.(\d+)/.exec(installed) ?? [];
  if (Number(same) === minor) return installed;
  // Without a patch version it is the language's version, which is not a release.
  return `go${/^1\.\d+$/.test(wanted) ? `${wanted}.0` : wanted}`;
}

/** Makes a toolchain ready in a directory; it is fetched if it is not there. */
export async function prepareToolchain(
  version: string,
  directory: string,
  signal?: AbortSignal,
): Promise<Toolchain & { readonly environment: Readonly<Record<string, string>>; readonly program: string }> {
  const environment = { GOTOOLCHAIN: version };
  const [root = '', found = ''] = (
    await runGo(['env', 'GOROOT', 'GOVERSION'], { directory, signal, environment })
  ).split('\n');
  // Go replaces no file in its module cache, where a toolchain is that was fetched: links make it one of ours.
  const own = join(directory, 'go');
  // A compiler that is killed leaves its files; here they are removed with the directory.
  const temporary = join(directory, 'tmp');
  for (const each of [own, temporary]) mkdirSync(each);
  for (const name of readdirSync(root)) symlinkSync(join(root, name), join(own, name));
  return {
    version: found,
    root: own,
    program: join(own, 'bin/go'),
    environment: { ...LOCAL, GOROOT: own, GOTMPDIR: temporary, CGO_ENABLED: '0', GOOS: 'linux' },
  };
}
