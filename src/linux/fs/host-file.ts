import fs, { type FileHandle } from 'node:fs/promises';
import { containerDescriptors } from '../../base/host/descriptors.js';
import { FileError } from './file-error.js';

/** Bytes that are written without a look at the disk's free space. */
const UNCHECKED = 1024 * 1024;

/** Bytes and files that stay free on a disk, or a tenth of it if that is less: for everything else on this machine. */
const LEAST_BYTES = 1024 ** 3;
const LEAST_FILES = 10_000;

/** A file of this machine that a container writes: it draws on the descriptors, and leaves space on the disk. */
export class HostFile {
  readonly handle: FileHandle;
  readonly #path: string;
  #unchecked = 0;

  private constructor(handle: FileHandle, path: string) {
    this.handle = handle;
    this.#path = path;
  }

  /** `path`: a directory of its disk. Rejects with ENFILE beyond the containers' descriptors. */
  static async open(path: string, open: () => Promise<FileHandle>): Promise<HostFile> {
    if (!containerDescriptors.take(1)) throw new FileError('ENFILE');
    try {
      return new HostFile(await open(), path);
    } catch (error) {
      containerDescriptors.take(-1);
      throw error;
    }
  }

  /** Before a write. Rejects with ENOSPC. */
  async demandSpace(bytes: number): Promise<void> {
    if (this.#unchecked <= 0) {
      await demandSpace(this.#path);
      this.#unchecked = UNCHECKED;
    }
    this.#unchecked -= bytes;
  }

  async close(): Promise<void> {
    await this.handle.close().finally(() => containerDescriptors.take(-1));
  }
}

/** Rejects with ENOSPC if the disk is so full that containers may write nothing more. */
export async function demandSpace(path: string): Promise<void> {
  const { bsize, blocks, bavail, files, ffree } = await fs.statfs(path);
  if (
    bavail * bsize < Math.min((blocks * bsize) / 10, LEAST_BYTES) ||
    ffree < Math.min(files / 10, LEAST_FILES)
  )
    throw new FileError('ENOSPC');
}
