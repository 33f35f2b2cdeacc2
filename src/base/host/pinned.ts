import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants, existsSync, readlinkSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Opens a file without access to its content (open(2)). Node has no constant for it. */
const O_PATH = 0o10000000;

/** On Linux, paths can start at an open descriptor, so other processes cannot change the path. */
const hasDescriptorPaths = existsSync('/proc/self/fd');

/** An error about a host path, with the code of a system call's error. */
export class HostFileError extends Error {
  override readonly name = 'HostFileError';
  readonly code: string;

  constructor(code: string, text: string) {
    super(text);
    this.code = code;
  }
}

/** A directory or file of the host: its symlink-free path, and its identity. */
export interface HostRoot {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
  readonly isDirectory: boolean;
}

/** An open file of the host: every operation on `path` reaches this file. */
export interface Pinned {
  /** Only for operations that follow a final symlink, and for paths below it. */
  readonly path: string;
  /** Its current path without symlinks. */
  place(): string;
  stat(): Promise<BigIntStats>;
}

interface Held extends Pinned {
  close(): Promise<void>;
}

/** Follows symlinks. Rejects with the system's error. */
export async function rootAt(path: string): Promise<HostRoot> {
  const real = hasDescriptorPaths ? path : await fs.realpath(path);
  const held = await hold(real, 0);
  try {
    return await rootOf(held);
  } finally {
    await held.close();
  }
}

/** Converts an open file to a root, to open it again later. */
export async function rootOf(pinned: Pinned): Promise<HostRoot> {
  const stat = await pinned.stat();
  return { path: pinned.place(), device: stat.dev, inode: stat.ino, isDirectory: stat.isDirectory() };
}

/**
 * Runs an operation on the path `names` below a root; the last name may be a symlink. Opens each directory from the
 * previous one and rejects symlinks: if a process swaps a directory and a symlink meanwhile, the operation fails or
 * acts on the original directory, but never outside the root. The root itself must be reached without symlinks, and be
 * the same file as before. Rejects with the system's error or with HostFileError.
 */
export async function withPinned<T>(
  root: HostRoot,
  names: readonly string[],
  use: (pinned: Pinned) => Promise<T>,
): Promise<T> {
  const held = (await holdDirectly(root, names, 0)) ?? (await holdInSteps(root, names));
  try {
    return await use(held);
  } finally {
    await held.close();
  }
}

export interface LinkRules {
  /** Called for a symlink in a directory (its symlink-free path); throws to refuse it. */
  readonly follow: (directory: string) => void;
  /** Called before creating a missing directory; throws to refuse. Without it, a missing directory is an error. */
  readonly make?: (directory: string) => void;
  /** Mode of created directories. Default: 0777. */
  readonly mode?: number | undefined;
  /** The root is the host's own, where `..` and absolute symlinks work. Otherwise they fail with EXDEV. */
  readonly isWhole: boolean;
}

/** Linux's limit: MAXSYMLINKS. */
const MAX_LINKS = 40;

/**
 * Resolves a path to symlink-free names below a root. Creates only missing names of the path itself, not those of a
 * symlink's target. Rejects with the system's error or with HostFileError.
 */
export async function resolvePath(root: HostRoot, path: string, rules: LinkRules): Promise<string[]> {
  const todo = partsOf(path).map((name) => ({ name, isGiven: true }));
  const names: string[] = [];
  const leave = () => {
    if (!rules.isWhole) throw new HostFileError('EXDEV', 'it leads out of its directory');
  };
  let links = 0;
  let held = await holdRoot(root, todo.length > 0);
  try {
    for (let part = todo.pop(); part !== undefined; part = todo.pop()) {
      const { name, isGiven } = part;
      if (name === '..') {
        if (names.length === 0) leave();
        else held = await climb(held, join(root.path, ...names.slice(0, -1)));
        names.pop();
        continue;
      }
      const here = join(root.path, ...names);
      const target = await linkAt(held, name, isGiven ? rules : { ...rules, make: undefined }, here);
      if (target === undefined) {
        held = await step(held, name, todo.length > 0);
        names.push(name);
        continue;
      }
      if (++links > MAX_LINKS) throw new HostFileError('ELOOP', 'it has too many links');
      rules.follow(here);
      todo.push(...partsOf(target).map((next) => ({ name: next, isGiven: false })));
      if (!target.startsWith('/')) continue;
      leave();
      await held.close();
      names.length = 0;
      held = await holdRoot(root, todo.length > 0);
    }
    // A symlink may have appeared after the check of the last name.
    if (held.place() !== join(root.path, ...names) || (await held.stat()).isSymbolicLink()) throw moved();
    return names;
  } finally {
    await held.close();
  }
}

/** Target of a symlink; undefined for another file, and for a directory created because nothing was there. */
async function linkAt(
  held: Held,
  name: string,
  { make, mode }: { readonly make?: LinkRules['make'] | undefined; readonly mode?: number | undefined },
  here: string,
): Promise<string | undefined> {
  demandName(name);
  const path = join(held.path, name);
  const stat = await fs.lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && make !== undefined) return undefined;
    throw error;
  });
  if (stat?.isSymbolicLink()) return fs.readlink(path);
  if (stat !== undefined) return undefined;
  make?.(here);
  await fs.mkdir(path, { mode }).catch(unlessThere);
  return undefined;
}

export async function makeBelow(root: HostRoot, names: readonly string[]): Promise<void> {
  const found = await holdDirectly(root, names, constants.O_DIRECTORY);
  if (found !== undefined) return found.close();
  let held = await holdRoot(root, names.length > 0);
  try {
    for (const name of names) {
      demandName(name);
      await fs.mkdir(join(held.path, name)).catch(unlessThere);
      held = await step(held, name, true);
    }
  } finally {
    await held.close();
  }
}

/** Opens a file below a root. Follows no symlinks, and refuses devices and pipes, so that nothing blocks. */
export function openBelow(
  root: HostRoot,
  names: readonly string[],
  flags: number,
  mode?: number,
): Promise<fs.FileHandle> {
  const name = names.at(-1) ?? '';
  return withPinned(root, names.slice(0, -1), async ({ path }) => {
    demandName(name);
    const { O_NOFOLLOW, O_NONBLOCK } = constants;
    const file = await fs.open(join(path, name), flags | O_NOFOLLOW | O_NONBLOCK, mode);
    if ((await file.stat()).isFile()) return file;
    await file.close();
    throw new HostFileError('EINVAL', `${name} is not a regular file`);
  });
}

/**
 * Removes a tree below a root; does nothing if it does not exist. Moves deep parts to its top first: depth costs
 * neither descriptors nor time, and processes still in a directory lose it.
 */
export async function removeBelow(root: HostRoot, names: readonly string[]): Promise<void> {
  const name = names.at(-1) ?? '';
  demandName(name);
  await withPinned(root, names.slice(0, -1), async (parent) => {
    const path = join(parent.path, name);
    if (await isUnlinked(path)) return;
    await withUnlocked(path, async (top) => {
      const directories: string[] = [];
      for (const entry of await fs.readdir(top))
        if (!(await isUnlinked(join(top, entry)))) directories.push(entry);
      for (let next = directories.pop(); next !== undefined; next = directories.pop()) {
        const moved = await emptied(join(top, next), top);
        await fs.rmdir(join(top, next));
        directories.push(...moved);
      }
    });
    await fs.rmdir(path);
  }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** Removes the files of a directory, and moves its directories to another one; returns their new names. */
async function emptied(path: string, top: string): Promise<string[]> {
  const moved: string[] = [];
  await withUnlocked(path, async (directory) => {
    for (const entry of await fs.readdir(directory)) {
      const inside = join(directory, entry);
      if (await isUnlinked(inside)) continue;
      const name = randomBytes(12).toString('hex');
      await withUnlocked(inside, () => fs.rename(inside, join(top, name)));
      moved.push(name);
    }
  });
  return moved;
}

/** Removes a file or symlink; false for a directory: unlink(2) returns EISDIR on Linux, EPERM elsewhere. */
async function isUnlinked(path: string): Promise<boolean> {
  try {
    await fs.unlink(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EISDIR' && code !== 'EPERM') throw error;
    return false;
  }
}

/** Opens a directory, and first gives this user permission to read, write and move it. */
async function withUnlocked(path: string, use: (path: string) => Promise<void>): Promise<void> {
  const directory = await hold(path, constants.O_NOFOLLOW | constants.O_DIRECTORY);
  try {
    await fs.chmod(directory.path, 0o700);
    await use(directory.path);
  } finally {
    await directory.close();
  }
}

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

const moved = () => new HostFileError('ENOENT', 'it was moved, or a link has taken its place');

/** A name is one component: input must not lead elsewhere. */
function demandName(name: string): void {
  if (/^\.{0,2}$|[/\0]/.test(name))
    throw new HostFileError('EINVAL', `${JSON.stringify(name)} is not the name of a file`);
}

export const partsOf = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .reverse();

/** An open root's path shows that no symlink was followed to it. */
async function holdRoot(root: HostRoot, isDirectory: boolean): Promise<Held> {
  const held = await hold(root.path, constants.O_NOFOLLOW | (isDirectory ? constants.O_DIRECTORY : 0));
  try {
    const { dev, ino } = await held.stat();
    if (dev !== root.device || ino !== root.inode || held.place() !== root.path) throw moved();
    return held;
  } catch (error) {
    await held.close();
    throw error;
  }
}

/** Opens each directory relative to its parent, so the error names the first wrong name. */
async function holdInSteps(root: HostRoot, names: readonly string[]): Promise<Held> {
  let held = await holdRoot(root, names.length > 0);
  try {
    for (const [index, name] of names.entries()) held = await step(held, name, index < names.length - 1);
    return held;
  } catch (error) {
    await held.close();
    throw error;
  }
}

/**
 * Opens what `names` lead to below a root with one call. O_PATH reads nothing, and the place of the open file shows
 * whether the call followed a link. Undefined for anything unusual: `holdInSteps` finds out what it is.
 */
async function holdDirectly(
  root: HostRoot,
  names: readonly string[],
  flags: number,
): Promise<Held | undefined> {
  if (!hasDescriptorPaths || names.length === 0) return undefined;
  for (const name of names) demandName(name);
  const path = join(root.path, ...names);
  const held = await hold(path, constants.O_NOFOLLOW | flags).catch(() => undefined);
  if (held === undefined) return undefined;
  const top = await fs.lstat(root.path, { bigint: true }).catch(() => undefined);
  if (held.place() === path && top?.dev === root.device && top.ino === root.inode) return held;
  await held.close();
  return undefined;
}

/** Enters a child of a directory, and closes the directory. */
async function step(held: Held, name: string, isDirectory: boolean): Promise<Held> {
  demandName(name);
  const flags = constants.O_NOFOLLOW | (isDirectory ? constants.O_DIRECTORY : 0);
  const next = await hold(join(held.path, name), flags);
  await held.close();
  return next;
}

/** Returns to the parent directory, which must still be at this path. */
async function climb(held: Held, place: string): Promise<Held> {
  const next = await hold(hasDescriptorPaths ? `${held.path}/..` : dirname(held.path), constants.O_DIRECTORY);
  await held.close();
  if (next.place() === place) return next;
  await next.close();
  throw moved();
}

async function hold(path: string, flags: number): Promise<Held> {
  if (!hasDescriptorPaths) return held(path);
  const handle = await fs.open(path, O_PATH | flags);
  const own = `/proc/self/fd/${handle.fd}`;
  return {
    path: own,
    place: () => readlinkSync(own),
    stat: () => handle.stat({ bigint: true }),
    close: () => handle.close(),
  };
}

/** Without descriptor paths, checks the path just before its use. */
async function held(path: string): Promise<Held> {
  if ((await fs.realpath(dirname(path))) !== dirname(path)) throw moved();
  return { path, place: () => path, stat: () => fs.lstat(path, { bigint: true }), close: async () => {} };
}
