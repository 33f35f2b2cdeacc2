import { randomBytes } from 'node:crypto';
import { type BigIntStats, constants, existsSync, readlinkSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Opens a place without its content: enough to look at it and to go on from there (open(2)). Node has no name for it. */
const O_PATH = 0o10000000;

/** Where the kernel lets a path begin at an open descriptor, the way there can't be changed meanwhile: on Linux. */
const hasDescriptorPaths = existsSync('/proc/self/fd');

/** What is wrong with a place of the host, with the code of the error that a system call would give. */
export class HostFileError extends Error {
  override readonly name = 'HostFileError';
  readonly code: string;

  constructor(code: string, text: string) {
    super(text);
    this.code = code;
  }
}

/** A directory or file of the host: its path without links, and which one was there. */
export interface HostRoot {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
  readonly isDirectory: boolean;
}

/** A file of the host that is held, so that every operation on `path` reaches this one. */
export interface Pinned {
  /** Only for operations that follow a link at the end of their path, and for paths below it. */
  readonly path: string;
  /** Its path without links at present. */
  place(): string;
  stat(): Promise<BigIntStats>;
}

interface Held extends Pinned {
  close(): Promise<void>;
}

/** The root that a path leads to; its links are followed. Rejects with the system's error. */
export async function rootAt(path: string): Promise<HostRoot> {
  const real = hasDescriptorPaths ? path : await fs.realpath(path);
  const held = await hold(real, 0);
  try {
    return await rootOf(held);
  } finally {
    await held.close();
  }
}

/** What is held, as a root to come back to. */
export async function rootOf(pinned: Pinned): Promise<HostRoot> {
  const stat = await pinned.stat();
  return { path: pinned.place(), device: stat.dev, inode: stat.ino, isDirectory: stat.isDirectory() };
}

/**
 * Runs an operation on what `names` lead to below a root, which may be a link at the last name. Each directory on the way is opened from the one before,
 * and none may be a link: a process that swaps a directory and a link meanwhile causes an error, or an operation on the
 * directory that was there, but never one outside of the root. The root itself is reached without links, and is the same as
 * before. Rejects with the system's error or with HostFileError.
 */
export async function withPinned<T>(
  root: HostRoot,
  names: readonly string[],
  use: (pinned: Pinned) => Promise<T>,
): Promise<T> {
  let held = await holdDirectly(root, names, 0);
  const isThere = held !== undefined;
  held ??= await holdRoot(root, names.length > 0);
  try {
    for (const [index, name] of isThere ? [] : names.entries())
      held = await step(held, name, index < names.length - 1);
    return await use(held);
  } finally {
    await held.close();
  }
}

/** Who walks paths below a root, and which links it follows. */
export interface LinkRules {
  /** Called for a link in a directory, given by its path without links; throws to refuse it. */
  readonly follow: (directory: string) => void;
  /** Called before a missing directory is made there; throws to refuse. Without it, what is missing is an error. */
  readonly make?: (directory: string) => void;
  /** Of directories that are made. Default: 0777. */
  readonly mode?: number | undefined;
  /** The root is the host's own, where `..` and absolute links begin again. Otherwise they are errors with the code EXDEV. */
  readonly isWhole: boolean;
}

/** As Linux limits them: MAXSYMLINKS. */
const MAX_LINKS = 40;

/**
 * The names that lead from a root to where a path leads, without links. Of what is missing, only names of the path itself
 * are made, not those of a link's target. Rejects with the system's error or with HostFileError.
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
    // A link may have come after the look at the last name.
    if (held.place() !== join(root.path, ...names) || (await held.stat()).isSymbolicLink()) throw moved();
    return names;
  } finally {
    await held.close();
  }
}

/** The target of a link; undefined for another file, and for a directory that is made because nothing is there. */
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

/** Makes the directories that are missing on a way below a root, none of which may be a link. */
export async function makeBelow(root: HostRoot, names: readonly string[], mode?: number): Promise<void> {
  const found = await holdDirectly(root, names, constants.O_DIRECTORY);
  if (found !== undefined) return found.close();
  let held = await holdRoot(root, names.length > 0);
  try {
    for (const name of names) {
      demandName(name);
      await fs.mkdir(join(held.path, name), { mode }).catch(unlessThere);
      held = await step(held, name, true);
    }
  } finally {
    await held.close();
  }
}

/**
 * Opens a file below a root. Neither a link on the way nor one at the end is followed; devices and pipes are refused, so that
 * nothing waits for them.
 */
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
    throw new HostFileError('EINVAL', `${name} is no regular file`);
  });
}

/**
 * Removes what is below a root, with everything in it; nothing if it isn't there. What is deep in a tree is first moved to its
 * top: the depth costs neither descriptors nor time, and who is still in a directory has lost it.
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

/** Removes the files of a directory, and moves the directories in it to another one; answers their new names. */
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

/** Removes a file or a link; false for a directory: unlink(2) says EISDIR on Linux, EPERM elsewhere. */
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

/** Holds a directory that this user may read, write and move, whatever rights it had. */
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

/** A name is one component: what comes from outside can't lead elsewhere. */
function demandName(name: string): void {
  if (/^\.{0,2}$|[/\0]/.test(name))
    throw new HostFileError('EINVAL', `${JSON.stringify(name)} is not the name of a file`);
}

/** The components, last one first. */
export const partsOf = (path: string): string[] =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .reverse();

/** The place of an open root shows that no link was followed to it. */
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

/**
 * Holds what `names` lead to below a root in one step: the place of an open file shows that no link was followed. Undefined
 * for anything unusual, which `step` finds out.
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

/** From a directory to what is in it; the directory is let go. */
async function step(held: Held, name: string, isDirectory: boolean): Promise<Held> {
  demandName(name);
  const flags = constants.O_NOFOLLOW | (isDirectory ? constants.O_DIRECTORY : 0);
  const next = await hold(join(held.path, name), flags);
  await held.close();
  return next;
}

/** From a directory to the one above, which must still be at this path. */
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

/** Without paths of descriptors, the path is looked at just before it is used. */
async function held(path: string): Promise<Held> {
  if ((await fs.realpath(dirname(path))) !== dirname(path)) throw moved();
  return { path, place: () => path, stat: () => fs.lstat(path, { bigint: true }), close: async () => {} };
}
