import * as fs from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { FileError } from '../../src/linux/fs/file-error.js';
import type { FileSystem } from '../../src/linux/fs/file-system.js';
import { containerFiles, someView } from '../support/linux/container-files.js';
import fc from '../support/properties.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { countOf, ofAll } from '../support/thorough.js';

const temporary = useTemporaryDirectories();

/** Deep enough that `..` and links upwards stay in the part that both file systems have in common. */
const DEPTH = 'p/p/p/p/p/p/p/p/r';

type Operation = { readonly name: string; readonly run: (files: TestedFiles) => Promise<unknown> };

/** Operations of both file systems; paths are below the playground unless links or `..` lead upwards. */
interface TestedFiles {
  at(path: string): string;
  readFile(path: string): Promise<string>;
  writeFile(path: string, text: string, append: boolean): Promise<void>;
  create(path: string): Promise<void>;
  look(path: string, follow: boolean): Promise<string>;
  readdir(path: string): Promise<string[]>;
  mkdir(path: string): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  truncate(path: string, size: number): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
}

function realFiles(root: string): TestedFiles {
  const at = (path: string) => `${root}/${path}`;
  return {
    at,
    readFile: (path) => fs.readFile(at(path), 'utf8'),
    writeFile: (path, text, append) => fs.writeFile(at(path), text, { flag: append ? 'a' : 'w' }),
    create: async (path) => (await fs.open(at(path), 'wx')).close(),
    look: async (path, follow) => {
      const stat = await (follow ? fs.stat(at(path)) : fs.lstat(at(path)));
      const kind = stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'symlink' : 'file';
      return kind === 'file' ? `file ${stat.size} ${stat.nlink} ${(stat.mode & 0o7777).toString(8)}` : kind;
    },
    readdir: async (path) => (await fs.readdir(at(path))).sort(),
    mkdir: async (path) => void (await fs.mkdir(at(path))),
    rmdir: (path) => fs.rmdir(at(path)),
    unlink: (path) => fs.unlink(at(path)),
    rename: (from, to) => fs.rename(at(from), at(to)),
    symlink: (target, path) => fs.symlink(target, at(path)),
    link: (from, to) => fs.link(at(from), at(to)),
    readlink: (path) => fs.readlink(at(path)),
    realpath: async (path) => (await fs.realpath(at(path))).replace(root.slice(0, -DEPTH.length), ''),
    truncate: (path, size) => fs.truncate(at(path), size),
    chmod: (path, mode) => fs.chmod(at(path), mode),
  };
}

function simulatedFiles(files: FileSystem, root: string): TestedFiles {
  const at = (path: string) => `${root}/${path}`;
  return {
    at,
    readFile: async (path) => (await files.readFile(at(path))).toString(),
    writeFile: (path, text, append) => files.writeFile(at(path), Buffer.from(text), { append }),
    create: async (path) => (await files.open(at(path), 'wx')).close(),
    look: async (path, follow) => {
      const { kind, size, links, mode } = await (follow ? files.stat(at(path)) : files.lstat(at(path)));
      return kind === 'file' ? `file ${size} ${links} ${mode.toString(8)}` : kind;
    },
    readdir: (path) => files.readdir(at(path)),
    mkdir: (path) => files.mkdir(at(path)),
    rmdir: (path) => files.rmdir(at(path)),
    unlink: (path) => files.unlink(at(path)),
    rename: (from, to) => files.rename(at(from), at(to)),
    symlink: (target, path) => files.symlink(target, at(path)),
    link: (from, to) => files.link(at(from), at(to)),
    readlink: (path) => files.readlink(at(path)),
    realpath: async (path) => (await files.realpath(at(path))).replace(root.slice(0, -DEPTH.length), ''),
    truncate: (path, size) => files.truncate(at(path), size),
    chmod: (path, mode) => files.chmod(at(path), mode),
  };
}

const part = fc.constantFrom('a', 'b', 'c', 'a', 'b', '.', '..');
const path = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '', '', '', '/'))
  .map(([parts, slash]) => parts.join('/') + slash);
const target = fc.constantFrom('a', 'b', 'c', 'a/b', './b', '../r/a', '..', 'a/', 'missing', '../c');
const text = fc.constantFrom('', 'x', 'hello');

const operation: fc.Arbitrary<Operation> = fc.oneof(
  path.map((at) => ({ name: `readFile ${at}`, run: (files: TestedFiles) => files.readFile(at) })),
  fc.tuple(path, text, fc.boolean()).map(([at, data, append]) => ({
    name: `writeFile ${at} ${data} ${append}`,
    run: (files: TestedFiles) => files.writeFile(at, data, append),
  })),
  path.map((at) => ({ name: `create ${at}`, run: (files: TestedFiles) => files.create(at) })),
  path.map((at) => ({ name: `stat ${at}`, run: (files: TestedFiles) => files.look(at, true) })),
  path.map((at) => ({ name: `lstat ${at}`, run: (files: TestedFiles) => files.look(at, false) })),
  path.map((at) => ({ name: `readdir ${at}`, run: (files: TestedFiles) => files.readdir(at) })),
  path.map((at) => ({ name: `mkdir ${at}`, run: (files: TestedFiles) => files.mkdir(at) })),
  path.map((at) => ({ name: `mkdir ${at}`, run: (files: TestedFiles) => files.mkdir(at) })),
  path.map((at) => ({ name: `rmdir ${at}`, run: (files: TestedFiles) => files.rmdir(at) })),
  path.map((at) => ({ name: `unlink ${at}`, run: (files: TestedFiles) => files.unlink(at) })),
  fc.tuple(path, path).map(([from, to]) => ({
    name: `rename ${from} ${to}`,
    run: (files: TestedFiles) => files.rename(from, to),
  })),
  fc.tuple(target, path).map(([to, at]) => ({
    name: `symlink ${to} ${at}`,
    run: (files: TestedFiles) => files.symlink(to, at),
  })),
  fc.tuple(path, path).map(([from, to]) => ({
    name: `link ${from} ${to}`,
    run: (files: TestedFiles) => files.link(from, to),
  })),
  path.map((at) => ({ name: `readlink ${at}`, run: (files: TestedFiles) => files.readlink(at) })),
  path.map((at) => ({ name: `realpath ${at}`, run: (files: TestedFiles) => files.realpath(at) })),
  fc.tuple(path, fc.nat(10)).map(([at, size]) => ({
    name: `truncate ${at} ${size}`,
    run: (files: TestedFiles) => files.truncate(at, size),
  })),
  fc.tuple(path, fc.constantFrom(0o600, 0o755)).map(([at, mode]) => ({
    name: `chmod ${at} ${mode}`,
    run: (files: TestedFiles) => files.chmod(at, mode),
  })),
);

async function outcomeOf(files: TestedFiles, { run }: Operation): Promise<unknown> {
  try {
    return await run(files);
  } catch (error) {
    if (error instanceof FileError) return error.code;
    return (error as NodeJS.ErrnoException).code ?? error;
  }
}

const ALL_RUNS = 150;
/** In a host mount each step of a path is a call of the kernel. */
const places = [
  { where: 'its own layer', runs: countOf(ALL_RUNS, 15) },
  { where: 'a host mount', runs: countOf(ALL_RUNS, 3) },
].map((place) => ({ ...place, howMany: ofAll(place.runs, ALL_RUNS, 'runs') }));

describe('the files of a container behave like the kernel’s', () => {
  const clock = createVirtualClock();

  it.each(places)('in $where ($howMany)', async ({ where, runs }) => {
    const umask = process.umask(0o022);
    const property = fc.asyncProperty(
      fc.array(operation, { minLength: 5, maxLength: 40 }),
      async (operations) => {
        const dir = await fs.realpath(temporary());
        const real = `${dir}/real/${DEPTH}`;
        await fs.mkdir(real, { recursive: true });
        const mounts =
          where === 'a host mount'
            ? [{ containerPath: '/base', hostPath: `${dir}/mounted`, readonly: false }]
            : [];
        const files = containerFiles('busybox', { mounts }, someView, [], clock);
        for (let at = 1; at <= DEPTH.length; at++) {
          if (at === DEPTH.length || DEPTH[at] === '/')
            await files.mkdir(`/base/${DEPTH.slice(0, at)}`).catch(async () => {
              await files.mkdir('/base');
              await files.mkdir(`/base/${DEPTH.slice(0, at)}`);
            });
        }
        const [one, other] = [realFiles(real), simulatedFiles(files, `/base/${DEPTH}`)];
        for (const operation of operations) {
          const expected = await outcomeOf(one, operation);
          expect([operation.name, await outcomeOf(other, operation)]).toEqual([operation.name, expected]);
        }
      },
    );
    await fc.assert(property, { numRuns: runs });
    process.umask(umask);
  });
});
