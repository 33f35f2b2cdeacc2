import { byUnits, sorted } from '../process/sorted.js';
import { Cursor, readToEnd } from './cursor.js';
import { FileError } from './file-error.js';
import type { FileStat, FileUser, Space } from './file-stat.js';
import type { FileSystem, OpenFile, OpenMode } from './file-system.js';
import { mayAccess, mayRemove, type Wish } from './permissions.js';
import type { Attributes, FileAccess, NewNode } from './vnode.js';
import { type Follow, MAX_PATH, type Target, TreePosition, type Walker } from './walker.js';

export interface WalkerSource {
  walker(): Promise<Walker>;
  forbids(call: string): boolean;
}

/** Maximum number of lookups of a file that others create and remove at the same time. */
const MOST_TRIES = 100;

const ACCESS: Readonly<Record<OpenMode, FileAccess>> = {
  r: 'read',
  'r+': 'both',
  w: 'write',
  wx: 'write',
  a: 'append',
};

/** The files as one process may see and change them, with the checks of the kernel's system calls in their order. */
export class ProcessFiles implements FileSystem {
  readonly #source: WalkerSource;
  readonly #who: FileUser;

  constructor(source: WalkerSource, who: FileUser) {
    this.#source = source;
    this.#who = who;
  }

  async readFile(path: string): Promise<Buffer> {
    const file = await this.open(path, 'r');
    try {
      return await readToEnd(file);
    } finally {
      await file.close();
    }
  }

  async writeFile(
    path: string,
    data: Buffer,
    { append = false, mode }: { append?: boolean; mode?: number } = {},
  ): Promise<void> {
    const file = await this.open(path, append ? 'a' : 'w', mode);
    try {
      await file.write(data);
    } finally {
      await file.close();
    }
  }

  async open(path: string, mode: OpenMode, permissions = 0o666): Promise<OpenFile> {
    const place =
      mode === 'r' || mode === 'r+' ? await this.#find(path) : await this.#create(path, mode, permissions);
    const { node } = place;
    if (mode !== 'r' && node.kind === 'directory') throw new FileError('EISDIR');
    if (mode === 'r' || mode === 'r+') await this.#demand(place, 'read');
    if (mode !== 'r') await this.#demand(place, 'write');
    const raw = await node.open(ACCESS[mode]);
    const file = new Cursor(raw, place, mode === 'a', this.#who);
    try {
      if (mode === 'w' && node.kind === 'file') await node.change({ size: 0 });
    } catch (error) {
      await file.close();
      throw error;
    }
    return file;
  }

  async stat(path: string): Promise<FileStat> {
    return (await this.#find(path)).node.stat();
  }

  async lstat(path: string): Promise<FileStat> {
    return (await this.#find(path, 'slash')).node.stat();
  }

  async space(path: string): Promise<Space | undefined> {
    return (await this.#find(path)).node.space?.();
  }

  async access(path: string, wish: Wish): Promise<void> {
    await this.#demand(await this.#find(path), wish);
  }

  async readdir(path: string): Promise<string[]> {
    const place = await this.#find(path);
    if (place.node.kind !== 'directory') throw new FileError('ENOTDIR');
    await this.#demand(place, 'read');
    const mounted = [...(place.point?.below ?? [])].filter(([, { mount }]) => mount).map(([name]) => name);
    const names = await place.node.list();
    return sorted(this.#who, mounted.length > 0 ? [...new Set([...names, ...mounted])] : names, byUnits);
  }

  async mkdir(path: string, mode = 0o777): Promise<void> {
    this.#demandCall('mkdir');
    await this.#makeEntry(await this.#walk(path, 'never'), this.#owned('directory', mode));
  }

  async symlink(target: string, path: string): Promise<void> {
    this.#demandCall('symlink');
    if (target === '') throw new FileError('ENOENT');
    if (Buffer.byteLength(target) >= MAX_PATH) throw new FileError('ENAMETOOLONG');
    const { uid, gid } = this.#who.user;
    await this.#makeEntry(await this.#walk(path, 'never'), { kind: 'symlink', target, uid, gid });
  }

  async link(existing: string, path: string): Promise<void> {
    this.#demandCall('link');
    const from = await this.#find(existing, 'slash');
    const to = await this.#walk(path, 'never');
    if (to.place) throw new FileError('EEXIST');
    if (to.hasSlash) throw new FileError('ENOENT');
    if (from.mount !== to.dir.mount) throw new FileError('EXDEV');
    await this.#demandChange(to.dir);
    if (from.node.kind === 'directory') throw new FileError('EPERM');
    await to.dir.node.link(to.name, from.node);
  }

  async rmdir(path: string): Promise<void> {
    this.#demandCall('rmdir');
    const { dir, name, place } = await this.#walk(path, 'never');
    if (name === '.') throw new FileError('EINVAL');
    if (name === '..') throw new FileError('ENOTEMPTY');
    if (name === '/') throw new FileError('EBUSY');
    await this.#demandRemoval(dir, place);
    if (place?.node.kind !== 'directory') throw new FileError('ENOTDIR');
    await dir.node.remove(name);
  }

  async unlink(path: string): Promise<void> {
    this.#demandCall('unlink');
    const { dir, name, place, hasSlash } = await this.#walk(path, 'never');
    if (isSpecial(name)) throw new FileError('EISDIR');
    if (place && hasSlash && place.node.kind !== 'directory') throw new FileError('ENOTDIR');
    await this.#demandRemoval(dir, place);
    if (place?.node.kind === 'directory') throw new FileError('EISDIR');
    await dir.node.remove(name);
  }

  async rename(from: string, to: string): Promise<void> {
    this.#demandCall('rename');
    const old = await this.#walk(from, 'never');
    const now = await this.#walk(to, 'never');
    if (old.dir.mount !== now.dir.mount) throw new FileError('EXDEV');
    if (isSpecial(old.name) || isSpecial(now.name)) throw new FileError('EBUSY');
    if (old.dir.mount.isReadonly) throw new FileError('EROFS');
    if (!old.place) throw new FileError('ENOENT');
    const isDirectory = old.place.node.kind === 'directory';
    if (!isDirectory && (old.hasSlash || now.hasSlash)) throw new FileError('ENOTDIR');
    if (isWithin(now.dir.path, old.place.path)) throw new FileError('EINVAL');
    if (now.place && isWithin(old.dir.path, now.place.path)) throw new FileError('ENOTEMPTY');
    if (now.place && (await isSame(old.place, now.place))) return;
    await this.#demandRemoval(old.dir, old.place);
    await (now.place ? this.#demandRemoval(now.dir, now.place) : this.#demandChange(now.dir));
    const replaced = now.place?.node.kind;
    if (isDirectory && replaced && replaced !== 'directory') throw new FileError('ENOTDIR');
    if (!isDirectory && replaced === 'directory') throw new FileError('EISDIR');
    await old.dir.node.rename(old.name, now.dir.node, now.name);
  }

  async readlink(path: string): Promise<string> {
    return (await this.#find(path, 'slash')).node.readlink(this.#who);
  }

  async realpath(path: string): Promise<string> {
    return (await this.#find(path)).path;
  }

  async chmod(path: string, mode: number): Promise<void> {
    this.#demandCall('chmod');
    await this.#changeAsOwner(path, { mode: mode & 0o7777 });
  }

  async chown(path: string, uid: number, gid: number): Promise<void> {
    this.#demandCall('chown');
    const { uid: own, groups } = this.#who.user;
    await this.#changeAsOwner(path, { uid, gid }, ({ uid: owner }) => {
      return own === 0 || (uid === owner && owner === own && groups.includes(gid));
    });
  }

  async utimes(path: string, time: bigint): Promise<void> {
    const place = await this.#find(path);
    const stat = await place.node.stat();
    await this.#demandWritable(place);
    if (stat.uid !== this.#who.user.uid) await this.#demand(place, 'write');
    await place.node.change({ modifiedAt: time });
  }

  async truncate(path: string, size: number): Promise<void> {
    const place = await this.#find(path);
    if (place.node.kind === 'directory') throw new FileError('EISDIR');
    if (!Number.isSafeInteger(size) || size < 0 || place.node.kind !== 'file') throw new FileError('EINVAL');
    await this.#demand(place, 'write');
    await place.node.change({ size });
  }

  /** Every call begins here. Calls are served from memory, so a loop of them must let other tasks run. */
  async #walk(path: string, follow: Follow): Promise<Target> {
    const turn = this.#who.turn?.();
    if (turn) await turn;
    return (await this.#source.walker()).walk(path, this.#who, follow);
  }

  async #find(path: string, follow: Follow = 'always'): Promise<TreePosition> {
    const { place } = await this.#walk(path, follow);
    if (!place) throw new FileError('ENOENT');
    return place;
  }

  async #create(path: string, mode: OpenMode, permissions: number): Promise<TreePosition> {
    const isNew = mode === 'wx';
    for (let tries = 1; ; tries++) {
      const target = await this.#walk(path, isNew ? 'make' : 'write');
      if (target.place && isNew) throw new FileError('EEXIST');
      if (target.place) return target.place;
      const { dir, name } = target;
      await this.#demandChange(dir);
      try {
        const node = await dir.node.make(name, this.#owned('file', permissions));
        return new TreePosition(dir, name, node, dir.mount);
      } catch (error) {
        // Another process has created it meanwhile: an error only if the caller requires a new file.
        const isThere = error instanceof FileError && error.code === 'EEXIST';
        if (!isThere || isNew || tries >= MOST_TRIES) throw error;
      }
    }
  }

  async #makeEntry({ dir, name, place, hasSlash }: Target, what: NewNode): Promise<void> {
    if (place) throw new FileError('EEXIST');
    if (hasSlash && what.kind !== 'directory') throw new FileError('ENOENT');
    await this.#demandChange(dir);
    await dir.node.make(name, what);
  }

  #owned(kind: 'file' | 'directory', mode: number): NewNode {
    const { user, umask } = this.#who;
    return { kind, mode: mode & ~umask, uid: user.uid, gid: user.gid };
  }

  async #demand(place: TreePosition, wish: Wish): Promise<void> {
    if (wish === 'write') await this.#demandWritable(place);
    if (this.#who.user.uid !== 0 && !place.mount.hasPermissions) return;
    if (!mayAccess(await place.node.stat(), this.#who, wish)) throw new FileError('EACCES');
  }

  /** Devices and pipes can be written to on a read-only file system. */
  async #demandWritable({ node, mount }: TreePosition): Promise<void> {
    if (mount.isReadonly && node.kind !== 'device' && node.kind !== 'pipe') throw new FileError('EROFS');
  }

  async #demandChange(dir: TreePosition): Promise<void> {
    await this.#demand(dir, 'write');
    await this.#demand(dir, 'execute');
  }

  async #demandRemoval(dir: TreePosition, entry: TreePosition | undefined): Promise<void> {
    if (dir.mount.isReadonly) throw new FileError('EROFS');
    if (!entry) throw new FileError('ENOENT');
    await this.#demandChange(dir);
    const isFree = !dir.mount.hasPermissions || this.#who.user.uid === 0;
    if (!isFree && !mayRemove(await dir.node.stat(), await entry.node.stat(), this.#who)) {
      throw new FileError('EPERM');
    }
    if (entry.point) throw new FileError('EBUSY');
  }

  #demandCall(name: string): void {
    if (this.#source.forbids(name)) throw new FileError('EPERM');
  }

  async #changeAsOwner(
    path: string,
    change: Attributes,
    mayChange: (stat: FileStat) => boolean = ({ uid }) =>
      this.#who.user.uid === 0 || uid === this.#who.user.uid,
  ): Promise<void> {
    const { node, mount } = await this.#find(path);
    if (mount.isReadonly) throw new FileError('EROFS');
    if (mount.hasPermissions && !mayChange(await node.stat())) throw new FileError('EPERM');
    await node.change(change);
  }
}

const isSpecial = (name: string): boolean => name === '.' || name === '..' || name === '/';

const isWithin = (path: string, dir: string): boolean => path === dir || path.startsWith(`${dir}/`);

async function isSame(one: TreePosition, other: TreePosition): Promise<boolean> {
  return one.node === other.node || (await one.node.stat()).inode === (await other.node.stat()).inode;
}
