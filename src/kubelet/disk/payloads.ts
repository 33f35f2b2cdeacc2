import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdtemp, readdir, readlink, rename, rm, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  type HostRoot,
  makeBelow,
  openBelow,
  removeBelow,
  rootOf,
  withPinned,
} from '../../base/host/pinned.js';
import type { VolumeFile } from './files.js';

/** Files of volumes from the API. Each write is compared with the previous one. */
export interface Payloads {
  /** Replaces the files of the volume at `names`. */
  write(names: readonly string[], files: ReadonlyMap<string, VolumeFile>, now: bigint): Promise<void>;
  forget(uid: string): void;
}

/** Names of the link to the current files, and of its replacement. */
const DATA = '..data';
const NEXT = '..data_tmp';

const { O_CREAT, O_EXCL, O_WRONLY } = constants;

/** Keeps a digest of each volume that it writes. */
export function createPayloads(root: () => Promise<HostRoot>): Payloads {
  const digests = new Map<string, Map<string, string>>();
  return {
    write: async (names, files, now) => {
      const [, uid = ''] = names;
      const key = names.join('/');
      const ofPod = digests.get(uid) ?? new Map<string, string>();
      const digest = digestOf(files);
      if (ofPod.get(key) === digest) return;
      for (const path of files.keys()) demandPath(path);
      await makeBelow(await root(), names);
      await withPinned(await root(), names, async (volume) => replace(await rootOf(volume), files, now));
      digests.set(uid, ofPod.set(key, digest));
    },
    forget: (uid) => {
      digests.delete(uid);
    },
  };
}

/**
 * Replaces all files atomically (util/atomic_writer.go): they are in a directory named after the time, `..data` links
 * to it, and each name in the volume links through `..data`.
 */
async function replace(volume: HostRoot, files: ReadonlyMap<string, VolumeFile>, now: bigint): Promise<void> {
  await withPinned(volume, [], async ({ path }) => {
    const directory = basename(await mkdtemp(join(path, `..${stampOf(now)}.`)));
    for (const [file, content] of files) await writeNew(volume, [directory, ...file.split('/')], content);
    const shown = new Set([...files.keys()].map((file) => file.split('/')[0] as string));
    await rm(join(path, NEXT), { force: true });
    await symlink(directory, join(path, NEXT));
    for (const name of shown) {
      const target = `${DATA}/${name}`;
      if ((await readlink(join(path, name)).catch(() => undefined)) === target) continue;
      await removeBelow(volume, [name]);
      await symlink(target, join(path, name));
    }
    await rename(join(path, NEXT), join(path, DATA));
    for (const name of await readdir(path))
      if (name !== DATA && name !== directory && !shown.has(name)) await removeBelow(volume, [name]);
  });
}

async function writeNew(
  volume: HostRoot,
  names: readonly string[],
  { content, mode }: VolumeFile,
): Promise<void> {
  await makeBelow(volume, names.slice(0, -1));
  const file = await openBelow(volume, names, O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    await file.writeFile(content);
    // This process has another umask than the kubelet.
    await file.chmod(mode);
  } finally {
    await file.close();
  }
}

/** Go's time layout 2006_01_02_15_04_05, in UTC. */
export const stampOf = (now: bigint): string =>
  new Date(Number(now / 1_000_000n)).toISOString().slice(0, 19).replace(/[-T:]/g, '_');

function digestOf(files: ReadonlyMap<string, VolumeFile>): string {
  const hash = createHash('sha1');
  for (const [path, { content, mode }] of files)
    hash.update(`${path}\0${mode}\0${content.length}\0`).update(content);
  return hash.digest('base64');
}

/** The same check as validatePath; the API server refuses such paths, too. */
export function demandPath(path: string): void {
  const parts = path.split('/');
  if (path.length > 4096 || path.startsWith('..') || parts.some((part) => /^\.{0,2}$|\0/.test(part)))
    throw new Error(
      `${JSON.stringify(path)} is not a path in a volume: give names, none of which is "." or ".."`,
    );
}
