import { constants as files } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { constants, createGzip, gunzipSync } from 'node:zlib';
import { UserError } from '../base/input/user-error.js';

export interface Output {
  readonly stream: Writable;
  readonly output: Writable;
  /** Flushes the compressor to disk, so that a killed process loses little. */
  readonly flush?: () => void;
  empty(): Promise<void>;
  /** Closes the file unchanged; removes a new one. */
  discard(): Promise<void>;
}

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDWR, O_WRONLY } = files;

/**
 * Opens a new file or an existing tape; `.gz` means compressed. Keeps existing contents until `empty`. Without
 * `followsLinks` it must be a regular file. Throws UserError.
 */
export async function openOutput(file: string, followsLinks: boolean): Promise<Output> {
  const { handle, isNew } = await opened(file, followsLinks).catch((error: NodeJS.ErrnoException) => {
    const { code, message } = error;
    throw new UserError(`${file}: it can't be written: ${REASONS[code ?? ''] ?? code ?? message}`);
  });
  const empty = async () => {
    if ((await handle.stat()).isFile()) await handle.truncate();
  };
  const discard = async () => {
    await handle.close();
    if (isNew) await unlink(file);
  };
  const output = handle.createWriteStream({ start: 0 });
  if (!file.endsWith('.gz')) return { stream: output, output, empty, discard };
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  gzip.pipe(output);
  return { stream: gzip, output, flush: () => gzip.flush(constants.Z_SYNC_FLUSH), empty, discard };
}

const REASONS: Readonly<Record<string, string>> = {
  ENXIO: 'it is a pipe or a socket; give a regular file',
  ELOOP: 'it is a link; give a regular file',
  ENOENT: 'there is no such directory',
  EISDIR: 'it is a directory; give a file',
};

async function opened(file: string, followsLinks: boolean): Promise<{ handle: FileHandle; isNew: boolean }> {
  try {
    return { handle: await open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600), isNew: true };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  // Opening a pipe without a reader would block a thread that all files need.
  const handle = await open(file, O_RDWR | O_NONBLOCK | (followsLinks ? O_CREAT : O_NOFOLLOW), 0o600);
  return { handle: await checked(handle, () => checkThatIsThere(handle, followsLinks)), isNew: false };
}

/** System files such as /proc/self/mem are regular files too, but have no bytes. */
async function checkThatIsThere(handle: FileHandle, followsLinks: boolean): Promise<void> {
  const stat = await handle.stat();
  if (stat.isFIFO()) throw Object.assign(new Error(), { code: 'ENXIO' });
  if (followsLinks && !(stat.isFile() && stat.size > 0)) return;
  if (!stat.isFile() || stat.size === 0 || !(await isTape(handle, followsLinks)))
    throw new Error('the file exists and is not a tape; give another name, or remove it');
}

async function checked(handle: FileHandle, check: () => Promise<void>): Promise<FileHandle> {
  try {
    await check();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Bytes needed to recognize a file. Decompressed, they are less than a megabyte. */
const BEGINNING = 512;

const HEADER = '{"t":0,"kind":"header",';

/** Whether a file begins with a header, compressed or not. `mayBeCut`: its writer may have been killed. */
async function isTape(handle: FileHandle, mayBeCut: boolean): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
  const bytes = buffer.subarray(0, bytesRead);
  try {
    const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const plain = isCompressed ? gunzipSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH }) : bytes;
    const text = plain.toString('latin1');
    return text.startsWith(HEADER) || (mayBeCut && bytesRead < BEGINNING && HEADER.startsWith(text));
  } catch {
    return false;
  }
}

/** Resolves when a stream accepts more, or never will. */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) stream.removeListener(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stream.once(event, done);
  });
}
