import fs from 'node:fs/promises';

/** Bytes and files that stay free on a disk, or a tenth of it if that is less: for everything else on this machine. */
const LEAST_BYTES = 1024 ** 3;
const LEAST_FILES = 10_000;

/** Whether containers may put nothing more on the disk of a path. Rejects with the system's error. */
export async function isFull(path: string): Promise<boolean> {
  const { bsize, blocks, bavail, files, ffree } = await fs.statfs(path);
  return (
    bavail * bsize < Math.min((blocks * bsize) / 10, LEAST_BYTES) || ffree < Math.min(files / 10, LEAST_FILES)
  );
}
