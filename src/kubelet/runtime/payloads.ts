import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../input/make-directory.js';

/** The files of volumes from the API, which are compared with what was written last. */
export interface Payloads {
  /** Makes these the files of the volume; those that it had before are removed. */
  write(uid: string, volume: string, files: ReadonlyMap<string, Buffer>): Promise<void>;
  /** The pod's directory is removed. */
  forget(uid: string): void;
}

interface Written {
  readonly digest: string;
  readonly paths: readonly string[];
}

/** Remembers a digest of each volume that it writes (util/atomic_writer.go, without its links). */
export function createPayloads(directoryOf: (uid: string, volume: string) => string): Payloads {
  const pods = new Map<string, Map<string, Written>>();
  return {
    write: async (uid, volume, files) => {
      const written = pods.get(uid) ?? new Map<string, Written>();
      const before = written.get(volume);
      const digest = digestOf(files);
      if (before?.digest === digest) return;
      const directory = directoryOf(uid, volume);
      for (const path of before?.paths ?? [])
        if (!files.has(path)) await rm(insideOf(directory, path), { force: true });
      for (const [path, content] of files) {
        const file = insideOf(directory, path);
        await makeDirectory(dirname(file));
        await writeFile(file, content, { mode: 0o600 });
      }
      pods.set(uid, written.set(volume, { digest, paths: [...files.keys()] }));
    },
    forget: (uid) => {
      pods.delete(uid);
    },
  };
}

function digestOf(files: ReadonlyMap<string, Buffer>): string {
  const hash = createHash('sha1');
  for (const [path, content] of files) hash.update(`${path}\0${content.length}\0`).update(content);
  return hash.digest('base64');
}

/** A path in a directory. The API server refuses paths that leave it, and a static pod has no such volumes. */
export function insideOf(directory: string, path: string): string {
  const file = join(directory, path);
  if (file !== directory && !file.startsWith(`${directory}/`))
    throw new Error(`path ${path} leaves its volume`);
  return file;
}
