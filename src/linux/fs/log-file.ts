import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileOperations } from '../../base/host/descriptors.js';
import { FileError } from './file-error.js';
import { demandSpace, HostFile } from './host-file.js';

/** A container's log on its node's disk. */
export interface LogFile {
  appendFile(chunk: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** Beyond the containers' descriptors, the log is open only while it is written. `open` creates a missing file. */
export async function openHostLog(path: string, open: () => Promise<FileHandle>): Promise<LogFile> {
  const directory = dirname(path);
  try {
    const file = await HostFile.open(directory, () => fileOperations(open));
    return {
      appendFile: async (chunk) => {
        await file.demandSpace(chunk.length);
        await file.handle.appendFile(chunk);
      },
      close: () => file.close(),
    };
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
  }
  const append = async (chunk: Buffer) => {
    await demandSpace(directory);
    const file = await open();
    await file.appendFile(chunk).finally(() => file.close());
  };
  const appendFile = (chunk: Buffer) => fileOperations(() => append(chunk));
  await appendFile(Buffer.alloc(0));
  return { appendFile, close: async () => {} };
}
