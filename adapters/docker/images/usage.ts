import { statfs } from 'node:fs/promises';
import type { FilesystemUsage } from '../../../src/cri/gen/runtime/v1/api.js';
import type { ImageFsUsage } from '../../../src/runtime/engine/backend/images.js';
import type { Context } from '../context.js';
import { toCriError } from '../errors.js';

interface DiskUsage {
  readonly LayersSize?: number;
  readonly Containers?: readonly { readonly SizeRw?: number }[] | null;
}

/** The size of images and writable layers, as Docker counts it. */
export async function diskUsage({
  docker,
  clock,
  local,
  rootDirectory: mountpoint,
}: Context): Promise<ImageFsUsage> {
  try {
    const usage = (await docker.df()) as DiskUsage;
    const inodes = local ? await inodesUsed(mountpoint) : 0n;
    const entry = (bytes: number, inodesUsed: bigint): FilesystemUsage => ({
      timestamp: clock.now(),
      fsId: { mountpoint },
      usedBytes: { value: BigInt(bytes) },
      inodesUsed: { value: inodesUsed },
    });
    const written = (usage.Containers ?? []).reduce((sum, { SizeRw }) => sum + (SizeRw ?? 0), 0);
    return { images: [entry(usage.LayersSize ?? 0, inodes)], containers: [entry(written, 0n)] };
  } catch (error) {
    throw toCriError(error, "measuring Docker's disk usage");
  }
}

/** Of the whole file system, since Docker doesn't count its own; 0 if it isn't local. */
async function inodesUsed(directory: string): Promise<bigint> {
  try {
    const { files, ffree } = await statfs(directory, { bigint: true });
    return files - ffree;
  } catch {
    return 0n;
  }
}
