import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { UserError } from '../../../../base/input/user-error.js';
import { goMinor, goVersions, type Toolchain } from '../overlay/overlay.js';

export interface GoOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  readonly line?: (text: string) => void;
  readonly program?: string;
}

const SHOWN = 20;

/** Resolves with standard output. Throws UserError with Go's messages if the command fails. */
export function runGo(args: readonly string[], options: GoOptions): Promise<string> {
  const { directory, environment = {}, signal, line, program = 'go' } = options;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: directory,
      // Compilers are its children, and must end with it.
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

/** Throws UserError if Go is not installed. */
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
 * The Go version for a build: the installed one if it has the wanted minor version; otherwise the wanted one, or the
 * first one that the edits support if that is later.
 */
export function chooseGo(installed: string, wanted: string): string {
  const minor = Number(/^1\.(\d+)/.exec(wanted)?.[1]);
  if (minor < goVersions.first) return chooseGo(installed, goVersions.firstRelease);
  goMinor(`go${wanted}`);
  const [, same] = /^go1\.(\d+)/.exec(installed) ?? [];
  if (Number(same) === minor) return installed;
  // Without a patch version it names the language, not a release.
  return `go${/^1\.\d+$/.test(wanted) ? `${wanted}.0` : wanted}`;
}

export async function prepareToolchain(
  version: string,
  directory: string,
  signal?: AbortSignal,
): Promise<Toolchain & { readonly environment: Readonly<Record<string, string>>; readonly program: string }> {
  const environment = { GOTOOLCHAIN: version };
  const [root = '', found = ''] = (
    await runGo(['env', 'GOROOT', 'GOVERSION'], { directory, signal, environment })
  ).split('\n');
  // Go's overlay does not apply to its module cache, where downloaded toolchains are, so our directory links to one.
  const own = join(directory, 'go');
  // A killed compiler leaves temporary files; they are removed with this directory.
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
