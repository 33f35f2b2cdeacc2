import { FileError } from '../../process/file-system.js';
import { emptySource, nullSink } from '../../process/pipe.js';
import type { ByteSink, ByteSource } from '../../process/process.js';
import { absolute } from '../expansion/glob.js';
import { CommandError } from './control-flow.js';
import { OpenFile } from './open-file.js';
import type { Shell } from './shell.js';

export type OpenMode = 'read' | 'write' | 'append' | 'update' | 'create';

/** How much of a file one read gives. */
const CHUNK = 64 * 1024;

const TEXTS: Readonly<Record<string, string>> = {
  EEXIST: 'File exists',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EACCES: 'Permission denied',
  EROFS: 'Read-only file system',
  ENOTEMPTY: 'Directory not empty',
  EINVAL: 'Invalid argument',
  ELOOP: 'Too many levels of symbolic links',
  EXDEV: 'Invalid cross-device link',
  EPERM: 'Operation not permitted',
  ENOSPC: 'No space left on device',
  ENOENT: 'No such file or directory',
};

/** The text of an errno, for messages; rethrows what is no file error. */
export function errorText(error: unknown): string {
  if (error instanceof FileError) return TEXTS[error.code] ?? error.code;
  throw error;
}

/** Opens a file for a redirection. Throws CommandError with busybox's words. */
export async function openFile(shell: Shell, path: string, mode: OpenMode): Promise<OpenFile> {
  const full = absolute(shell.cwd, path);
  const special = openSpecial(shell, full);
  if (special) return special;
  try {
    return await openRegular(shell, full, mode);
  } catch (error) {
    const isMissing = error instanceof FileError && error.code === 'ENOENT';
    if (mode === 'read')
      throw new CommandError(`can't open ${path}: ${isMissing ? 'no such file' : errorText(error)}`);
    throw new CommandError(`can't create ${path}: ${isMissing ? 'nonexistent directory' : errorText(error)}`);
  }
}

/** Streams that have a name: `/dev/null`, `/dev/stdout`, and those of processes, as in `> /proc/1/fd/1`. */
function openSpecial(shell: Shell, path: string): OpenFile | undefined {
  if (path === '/dev/null') return new OpenFile({ source: emptySource, sink: nullSink });
  const own = { '/dev/stdin': 0, '/dev/stdout': 1, '/dev/stderr': 2 }[path];
  const [, fd] = /^\/(?:dev|proc\/self)\/fd\/(\d+)$/.exec(path) ?? [];
  if (own !== undefined || fd !== undefined) return shell.files.get(own ?? Number(fd));
  const [, pid, stream] = /^\/proc\/(\d+)\/fd\/([012])$/.exec(path) ?? [];
  const process = shell.process.container.processes().find((one) => one.pid === Number(pid));
  if (process === undefined) return undefined;
  if (stream === '0') return new OpenFile({ source: process.stdin });
  const { killed } = shell.process;
  const sink = stream === '1' ? process.stdout : process.stderr;
  return new OpenFile({
    sink: { write: (chunk, signal = killed) => sink.write(chunk, signal), end: () => {} },
  });
}

async function openRegular(shell: Shell, path: string, mode: OpenMode): Promise<OpenFile> {
  const { fs } = shell.process;
  if (mode === 'read') return new OpenFile({ source: sourceOfBytes(await fs.readFile(path)) });
  const create = { mode: 0o666 & ~shell.umask };
  if (mode === 'create' && (await isFile(shell, path))) throw new FileError('EEXIST', path);
  if (mode === 'append' || mode === 'update')
    await fs.writeFile(path, Buffer.alloc(0), { append: true, ...create });
  else await fs.writeFile(path, Buffer.alloc(0), create);
  const sink: ByteSink = {
    write: (chunk) => fs.writeFile(path, chunk, { append: true }),
    end: () => {},
  };
  return new OpenFile({ sink, ...(mode === 'update' && { source: sourceOfBytes(await fs.readFile(path)) }) });
}

const isFile = (shell: Shell, path: string): Promise<boolean> =>
  shell.process.fs.stat(path).then(
    ({ kind }) => kind === 'file',
    () => false,
  );

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
