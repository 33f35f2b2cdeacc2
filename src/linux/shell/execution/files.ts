import { FileError } from '../../fs/file-error.js';
import type { OpenFile as FileHandle, OpenMode } from '../../fs/file-system.js';
import type { ByteSink, ByteSource } from '../../process/process.js';
import { absolute } from '../expansion/glob.js';
import { CommandError } from './control-flow.js';
import { OpenFile } from './open-file.js';
import type { Shell } from './shell.js';

const CHUNK = 64 * 1024;

/** The text of a file error; rethrows other errors. */
export function errorText(error: unknown): string {
  if (error instanceof FileError) return error.message;
  throw error;
}

/** Opens a file for a redirection. Throws CommandError with busybox's words. */
export async function openFile(shell: Shell, path: string, mode: OpenMode): Promise<OpenFile> {
  const full = path === '' ? '' : absolute(shell.cwd, path);
  const own = ownDescriptor(shell, full);
  if (own) return own;
  try {
    if (full === '') throw new FileError('ENOENT');
    return fileOf(await shell.process.fs.open(full, mode), mode);
  } catch (error) {
    const isMissing = error instanceof FileError && error.code === 'ENOENT';
    if (mode === 'r')
      throw new CommandError(`can't open ${path}: ${isMissing ? 'no such file' : errorText(error)}`);
    throw new CommandError(`can't create ${path}: ${isMissing ? 'nonexistent directory' : errorText(error)}`);
  }
}

/** The shell's descriptors also have names, which may refer to other files than those of its process. */
function ownDescriptor(shell: Shell, path: string): OpenFile | undefined {
  const named = { '/dev/stdin': 0, '/dev/stdout': 1, '/dev/stderr': 2 }[path];
  const [, number] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path) ?? [];
  const fd = named ?? (number === undefined ? undefined : Number(number));
  return fd === undefined ? undefined : shell.files.get(fd);
}

function fileOf(handle: FileHandle, mode: OpenMode): OpenFile {
  // Other processes inherit it, and may outlive the shell.
  handle.share();
  const close = () => void handle.close().catch(() => {});
  const source: ByteSource = {
    read: async () => {
      const chunk = await handle.read(CHUNK);
      return chunk.length > 0 ? chunk : null;
    },
  };
  const sink: ByteSink = { write: (chunk) => handle.write(chunk), end: () => {} };
  if (mode === 'r') return new OpenFile({ source, close });
  return new OpenFile(mode === 'r+' ? { source, sink, close } : { sink, close });
}

export function sourceOfBytes(bytes: Buffer): ByteSource {
  let position = 0;
  return {
    read: async () => {
      const chunk = bytes.subarray(position, position + CHUNK);
      position += chunk.length;
      return chunk.length > 0 ? chunk : null;
    },
  };
}
