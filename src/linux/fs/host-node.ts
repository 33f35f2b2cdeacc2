import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../input/make-directory.js';
import { FileError, isFileErrorCode } from './file-error.js';
import type { FileStat } from './file-stat.js';
import { type Attributes, BareNode, type FileKind, type NewNode, type RawFile, type Vnode } from './vnode.js';

/**
 * A real file of the host, below a directory that is mounted into the container. The walker follows links in the
 * container's view, so no path here has one; what changed in between is found out by `verified`. The host decides
 * what Mockri's own user may do; the container's users are not told apart.
 */
export class HostNode extends BareNode {
  override readonly kind: FileKind;
  readonly #root: string;
  readonly #path: string;

  private constructor(root: string, path: string, kind: FileKind) {
    super();
    this.#root = root;
    this.#path = path;
    this.kind = kind;
  }

  /** The mount of a host path: its links are followed, and a directory is made if it isn't there, as containerd does. */
  static async mount(path: string): Promise<HostNode> {
    const root = await asFileError(
      fs.realpath(path).catch(async (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        await makeDirectory(path);
        return fs.realpath(path);
      }),
    );
    return new HostNode(root, root, kindOf(await asFileError(fs.lstat(root))));
  }

  override async stat(): Promise<FileStat> {
    return asFileError(
      fs.lstat(await this.#verified(), { bigint: true }).then((stat) => ({
        kind: kindOf(stat),
        mode: Number(stat.mode) & 0o7777,
        uid: Number(stat.uid),
        gid: Number(stat.gid),
        size: Number(stat.size),
        modifiedAt: stat.mtimeNs,
        inode: Number(stat.ino),
        links: Number(stat.nlink),
      })),
    );
  }

  override async open(access: 'read' | 'write' | 'both'): Promise<RawFile> {
    if (this.kind === 'directory') throw new FileError('EISDIR');
    // Opening a pipe could wait for ever, and its other end is not in the simulation.
    if (this.kind === 'pipe') throw new FileError('ENXIO');
    const flags = { read: constants.O_RDONLY, write: constants.O_WRONLY, both: constants.O_RDWR }[access];
    const path = await this.#verified();
    return hostFile(await asFileError(fs.open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK)));
  }

  override async readlink(): Promise<string> {
    return asFileError(fs.readlink(await this.#verified()));
  }

  override async change({ mode, uid, gid, modifiedAt, size }: Attributes): Promise<void> {
    const path = await this.#verified();
    if (this.kind === 'symlink') return;
    if (mode !== undefined) await asFileError(fs.chmod(path, mode));
    if (uid !== undefined && gid !== undefined) await asFileError(fs.lchown(path, uid, gid));
    if (size !== undefined) await asFileError(fs.truncate(path, size));
    if (modifiedAt === undefined) return;
    const seconds = Number(modifiedAt) / 1e9;
    await asFileError(fs.lutimes(path, seconds, seconds));
  }

  override async lookup(name: string): Promise<Vnode | undefined> {
    const path = join(await this.#verified(), name);
    const stat = await asFileError(fs.lstat(path)).catch((error: unknown) => {
      if (error instanceof FileError && error.code === 'ENOENT') return undefined;
      throw error;
    });
    return stat && new HostNode(this.#root, path, kindOf(stat));
  }

  override async list(): Promise<string[]> {
    return asFileError(fs.readdir(await this.#verified()));
  }

  override async make(name: string, what: NewNode): Promise<Vnode> {
    const path = join(await this.#verified(), name);
    if (what.kind === 'symlink') await asFileError(fs.symlink(what.target, path));
    else if (what.kind === 'directory') await asFileError(fs.mkdir(path));
    else await asFileError(fs.writeFile(path, '', { flag: 'wx' }));
    // Not at once: the umask of the runtime is not that of the container.
    if (what.kind !== 'symlink') await asFileError(fs.chmod(path, what.mode));
    return new HostNode(this.#root, path, what.kind);
  }

  override async link(name: string, node: Vnode): Promise<void> {
    if (!(node instanceof HostNode)) throw new FileError('EXDEV');
    await asFileError(fs.link(await node.#verified(), join(await this.#verified(), name)));
  }

  override async remove(name: string): Promise<void> {
    const path = join(await this.#verified(), name);
    const stat = await asFileError(fs.lstat(path));
    await asFileError(stat.isDirectory() ? fs.rmdir(path) : fs.unlink(path));
  }

  override async rename(name: string, to: Vnode, newName: string): Promise<void> {
    if (!(to instanceof HostNode)) throw new FileError('EXDEV');
    await asFileError(fs.rename(join(await this.#verified(), name), join(await to.#verified(), newName)));
  }

  /** The path, as long as no directory on the way has meanwhile become a link to somewhere else. */
  async #verified(): Promise<string> {
    const parent = this.#path === this.#root ? this.#root : dirname(this.#path);
    const real = await asFileError(fs.realpath(parent));
    if (real !== parent) throw new FileError('ENOENT');
    return this.#path;
  }
}

function hostFile(handle: fs.FileHandle): RawFile {
  return {
    read: async (position, length) => {
      const { buffer, bytesRead } = await asFileError(
        handle.read(Buffer.allocUnsafe(length), 0, length, position),
      );
      return buffer.subarray(0, bytesRead);
    },
    write: async (chunk, position) => {
      const start = position === 'end' ? (await asFileError(handle.stat())).size : position;
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await asFileError(
          handle.write(chunk, done, chunk.length - done, start + done),
        );
        done += bytesWritten;
      }
      return start + chunk.length;
    },
    close: () => handle.close(),
  };
}

type Kinds = Pick<Stats, 'isDirectory' | 'isSymbolicLink' | 'isFile' | 'isCharacterDevice' | 'isBlockDevice'>;

function kindOf(stat: Kinds): FileKind {
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isFile()) return 'file';
  return stat.isCharacterDevice() || stat.isBlockDevice() ? 'device' : 'pipe';
}

/** What the host refuses, in the container's words: never with a path of the host. */
async function asFileError<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof FileError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    throw new FileError(isFileErrorCode(code) ? code : 'EIO');
  }
}
