import type { BigIntStats } from 'node:fs';
import { link, lstat, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  HostFileError,
  type HostRoot,
  makeBelow,
  resolvePath,
  rootAt,
  withPinned,
} from '../../base/host/pinned.js';
import type { KubeletFiles } from './files.js';

/**
 * Prepares the part of a volume that a container mounts (volume/util/subpath). Follows symlinks while they stay in the
 * volume. The kubelet bind-mounts the result into a directory of the pod, which needs privileges that Mockri does
 * without: a file becomes a hard link there instead. A directory is named by its symlink-free path in the volume; the
 * memory backend refuses a symlink that appears in it later (see HostPlaces).
 */
export function createSubPaths(rootDir: string, podRoot: () => Promise<HostRoot>): KubeletFiles['subPath'] {
  return async ({ uid, volume, container, index, hostPath, path }) => {
    demandSubPath(path);
    const root = await rootAt(hostPath);
    const names = await resolvePath(root, path, { follow: () => {}, make: () => {}, isWhole: false });
    const whole = join(hostPath, ...names);
    const found = await withPinned(root, names, (pinned) => pinned.stat());
    if (found.isSymbolicLink()) throw replaced();
    if (found.isDirectory()) return whole;
    const own = ['pods', uid, 'volume-subpaths', volume, container];
    const pods = await podRoot();
    await makeBelow(pods, own);
    const isLinked = await withPinned(root, names.slice(0, -1), (from) =>
      withPinned(pods, own, (to) =>
        linkFile(join(from.path, names.at(-1) ?? ''), join(to.path, String(index)), found),
      ),
    );
    return isLinked ? join(rootDir, ...own, String(index)) : whole;
  };
}

/** Throws for a path from `subPathExpr` that could leave the volume. */
export function demandSubPath(path: string): void {
  if (path.startsWith('/') || path.split('/').includes('..'))
    throw new Error(`subPath ${JSON.stringify(path)} must be a relative path without ".."`);
}

/** Whether the other name refers to this very file; false where the file system allows no hard links. */
async function linkFile(from: string, to: string, { dev, ino }: BigIntStats): Promise<boolean> {
  await rm(to, { force: true });
  try {
    await link(from, to);
  } catch (error) {
    if (['EXDEV', 'EPERM', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
  const made = await lstat(to, { bigint: true });
  if (made.dev === dev && made.ino === ino) return true;
  await rm(to, { force: true });
  throw replaced();
}

const replaced = () => new HostFileError('ENOENT', 'it was replaced meanwhile');
