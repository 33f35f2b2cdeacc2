import { constants } from 'node:fs';
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { fileOperations } from '../../base/host/descriptors.js';
import { type HostRoot, type Pinned, withPinned } from '../../base/host/pinned.js';
import { FileError, isFileErrorCode } from './file-error.js';
import type { FileStat, Space } from './file-stat.js';
import { demandSpace, HostFile } from './host-file.js';
import {
  type Attributes,
  BareNode,
  type FileAccess,
  type FileKind,
  type NewNode,
  type RawFile,
  type Vnode,
} from './vnode.js';

/**
 * A real file of the host, below a directory that is mounted into the container. The walker follows links in the
 * container's view, so paths here never have one (see withPinned). The host checks the permissions of Mockri's own
 * user; it does not distinguish the container's users. A file never gets a setuid or setgid bit: Mockri's own user would own it.
 */
export class HostNode extends BareNode {
  override readonly kind: FileKind;
  readonly #root: HostRoot;
  readonly #names: readonly string[];

  private constructor(root: HostRoot, names: readonly string[], kind: FileKind) {
    super();
    this.#root = root;
    this.#names = names;
    this.kind = kind;
  }

  static async mount(root: HostRoot): Promise<HostNode> {
    return new HostNode(root, [], await kindOfRoot(root));
  }

  override async stat(): Promise<FileStat> {
    const stat = await this.#pinned((pinned) => pinned.stat());
    return {
      kind: kindOf(stat),
      mode: Number(stat.mode) & 0o7777,
      uid: Number(stat.uid),
      gid: Number(stat.gid),
      size: Number(stat.size),
      modifiedAt: stat.mtimeNs,
      inode: Number(stat.ino),
      links: Number(stat.nlink),
    };
  }

  async space(): Promise<Space> {
    const { bsize, blocks, bfree, bavail } = await this.#pinned(({ path }) => fs.statfs(path));
    return { size: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize };
  }

  override async open(access: FileAccess): Promise<RawFile> {
    if (this.kind === 'directory') throw new FileError('EISDIR');
    // Opening a pipe could wait forever, because its other end is outside the simulation.
    if (this.kind === 'pipe') throw new FileError('ENXIO');
    const open = (pinned: Pinned) => fs.open(pinned.path, FLAGS[access] | constants.O_NONBLOCK);
    return this.#pinned(async (pinned) => {
      await this.#demandSameKind(pinned);
      return rawFile(await HostFile.open(this.#root.path, () => open(pinned)));
    });
  }

  override async readlink(): Promise<string> {
    return this.#inParent((path) => fs.readlink(path));
  }

  override async change({ mode, uid, gid, modifiedAt, size }: Attributes): Promise<void> {
    if (this.kind === 'symlink') return;
    await this.#pinned(async (pinned) => {
      await this.#demandSameKind(pinned);
      const { path } = pinned;
      if (mode !== undefined) await fs.chmod(path, mode & (this.kind === 'directory' ? 0o3777 : 0o1777));
      if (uid !== undefined && gid !== undefined) await fs.chown(path, uid, gid);
      if (size !== undefined) await fs.truncate(path, size);
      if (modifiedAt === undefined) return;
      const seconds = Number(modifiedAt) / 1e9;
      await fs.utimes(path, seconds, seconds);
    });
  }

  override async lookup(name: string): Promise<Vnode | undefined> {
    const stat = await this.#pinned(({ path }) => fs.lstat(join(path, name))).catch((error: unknown) => {
      if (error instanceof FileError && error.code === 'ENOENT') return undefined;
      throw error;
    });
    return stat && this.#child(name, kindOf(stat));
  }

  override async list(): Promise<string[]> {
    return this.#pinned(({ path }) => fs.readdir(path));
  }

  override async make(name: string, what: NewNode): Promise<Vnode> {
    const child = this.#child(name, what.kind);
    await this.#pinned(async ({ path }) => {
      await demandSpace(this.#root.path);
      const place = join(path, name);
      if (what.kind === 'symlink') await fs.symlink(what.target, place);
      else if (what.kind === 'directory') await fs.mkdir(place);
      else await fs.writeFile(place, '', { flag: 'wx' });
    });
    // A separate step: the runtime's umask is not the container's.
    if (what.kind !== 'symlink') await child.change({ mode: what.mode });
    return child;
  }

  override async link(name: string, node: Vnode): Promise<void> {
    if (!(node instanceof HostNode)) throw new FileError('EXDEV');
    await node.#inParent((from) => this.#held(({ path }) => fs.link(from, join(path, name))));
  }

  override async remove(name: string): Promise<void> {
    await this.#pinned(async ({ path }) => {
      const place = join(path, name);
      const stat = await fs.lstat(place);
      await (stat.isDirectory() ? fs.rmdir(place) : fs.unlink(place));
    });
  }

  override async rename(name: string, to: Vnode, newName: string): Promise<void> {
    if (!(to instanceof HostNode)) throw new FileError('EXDEV');
    await this.#pinned((from) =>
      to.#held(({ path }) => fs.rename(join(from.path, name), join(path, newName))),
    );
  }

  #child(name: string, kind: FileKind): HostNode {
    return new HostNode(this.#root, [...this.#names, name], kind);
  }

  #pinned<T>(use: (pinned: Pinned) => Promise<T>): Promise<T> {
    return fileOperations(() => this.#held(use));
  }

  /** Within another operation. */
  #held<T>(use: (pinned: Pinned) => Promise<T>): Promise<T> {
    return asFileError(withPinned(this.#root, this.#names, use));
  }

  #inParent<T>(use: (path: string) => Promise<T>): Promise<T> {
    const name = this.#names.at(-1);
    if (name === undefined) throw new FileError('EINVAL');
    const parent = this.#names.slice(0, -1);
    const held = () => withPinned(this.#root, parent, ({ path }) => use(join(path, name)));
    return fileOperations(() => asFileError(held()));
  }

  /** Another file may have replaced it: opening a pipe would wait, and a link would be followed. */
  async #demandSameKind(pinned: Pinned): Promise<void> {
    if (kindOf(await pinned.stat()) !== this.kind) throw new FileError('ENOENT');
  }
}

const FLAGS: Readonly<Record<FileAccess, number>> = {
  read: constants.O_RDONLY,
  write: constants.O_WRONLY,
  both: constants.O_RDWR,
  append: constants.O_WRONLY | constants.O_APPEND,
};

function rawFile(file: HostFile): RawFile {
  const { handle } = file;
  return {
    read: async (position, length) => {
      const { buffer, bytesRead } = await asFileError(
        handle.read(Buffer.allocUnsafe(length), 0, length, position),
      );
      return buffer.subarray(0, bytesRead);
    },
    write: async (chunk, position) => {
      await asFileError(file.demandSpace(chunk.length));
      // For the end, the kernel knows the position: another process may write there concurrently.
      const at = (done: number) => (position === 'end' ? null : position + done);
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await asFileError(handle.write(chunk, done, chunk.length - done, at(done)));
        done += bytesWritten;
      }
      return position === 'end' ? (await asFileError(handle.stat())).size : position + chunk.length;
    },
    close: () => file.close(),
  };
}

type Kinds = Record<
  'isDirectory' | 'isSymbolicLink' | 'isFile' | 'isCharacterDevice' | 'isBlockDevice',
  () => boolean
>;

function kindOf(stat: Kinds): FileKind {
  if (stat.isDirectory()) return 'directory';
  if (stat.isSymbolicLink()) return 'symlink';
  if (stat.isFile()) return 'file';
  return stat.isCharacterDevice() || stat.isBlockDevice() ? 'device' : 'pipe';
}

const kindOfRoot = (root: HostRoot): Promise<FileKind> =>
  asFileError(withPinned(root, [], async (pinned) => kindOf(await pinned.stat())));

/** Converts the host's errors into the container's terms: never with a path of the host. */
export async function asFileError<T>(operation: Promise<T>): Promise<T> {
  try {
    return await operation;
  } catch (error) {
    if (error instanceof FileError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    throw new FileError(isFileErrorCode(code) ? code : 'EIO');
  }
}
