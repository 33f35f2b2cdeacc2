import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/src/cli/main.js');
const SOURCES = ['src', 'adapters', 'build.mjs', 'package.json', 'tsconfig.build.json'];

let isFresh = false;

/**
 * The arguments with which Node runs Mockri's command line, as the package has it: it starts in a fifth of the time that
 * the sources take.
 */
export const commandLine = (...args: readonly string[]): string[] => [builtFile('src/cli/main.js'), ...args];

/** A file of the build, which is made first if a source has changed since. `npm test` has made it already. */
export function builtFile(path: string): string {
  if (!isFresh && newest(SOURCES) > timeOf(program)) build();
  isFresh = true;
  return join(root, 'dist', path);
}

function build(): void {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'build.mjs')], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the build failed: ${stderr}`);
}

function newest(paths: readonly string[]): number {
  const times = paths.flatMap((path) => {
    const all = statSync(join(root, path)).isDirectory()
      ? readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
      : [''];
    return all.filter((name) => !name.endsWith('.test.ts')).map((name) => timeOf(join(root, path, name)));
  });
  return Math.max(...times);
}

const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
