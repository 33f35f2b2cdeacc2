import { type BigIntStats, constants, existsSync } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { FileError } from './file-error.js';

/** Opens a place without its content: enough to look at it and to go on from there (open(2)). Node has no name for it. */
const O_PATH = 0o10000000;

/** Where the kernel lets a path begin at an open descriptor, the way there can't be changed meanwhile: on Linux. */
const hasDescriptorPaths = existsSync('/proc/self/fd');

/** A directory or file of the host that is mounted: its path, and which one that was when it was mounted. */
export interface HostRoot {
  readonly path: string;
  readonly device: bigint;
  readonly inode: bigint;
}

/** A file of the host that is held, so that every operation on `path` reaches this one. */
export interface Pinned {
  /** Only for operations that follow a link at the end of their path. */
  readonly path: string;
  stat(): Promise<BigIntStats>;
}

/**
 * Runs an operation on what `names` lead to below a root. Each directory on the way is opened from the one before,
 * and none may be a link: a process that swaps a directory and a link meanwhile causes an error, or an operation on the
 * directory that was there, but never one outside of the root.
 */
export async function withPinned<T>(
  root: HostRoot,
  names: readonly string[],
  use: (pinned: Pinned) => Promise<T>,
): Promise<T> {
  if (!hasDescriptorPaths) return use(await checkedPath(root, names));
  let handle = await openPlace(root.path, names.length > 0);
  try {
    const { dev, ino } = await handle.stat({ bigint: true });
    if (dev !== root.device || ino !== root.inode) throw new FileError('ENOENT');
    for (const [index, name] of names.entries()) {
      const next = await openPlace(`${pathOf(handle)}/${name}`, index < names.length - 1);
      const before = handle;
      handle = next;
      await before.close();
    }
    return await use({ path: pathOf(handle), stat: () => handle.stat({ bigint: true }) });
  } finally {
    await handle.close();
  }
}

const pathOf = ({ fd }: fs.FileHandle): string => `/proc/self/fd/${fd}`;

const openPlace = (path: string, isDirectory: boolean): Promise<fs.FileHandle> =>
  fs.open(path, O_PATH | constants.O_NOFOLLOW | (isDirectory ? constants.O_DIRECTORY : 0));

/** Without paths of descriptors, the path is looked at just before it is used. */
async function checkedPath(root: HostRoot, names: readonly string[]): Promise<Pinned> {
  const parent = join(root.path, ...names.slice(0, -1));
  if ((await fs.realpath(parent)) !== parent) throw new FileError('ENOENT');
  const path = join(root.path, ...names);
  return { path, stat: () => fs.lstat(path, { bigint: true }) };
}
