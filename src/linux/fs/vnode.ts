import { FileError, type FileErrorCode } from './file-error.js';
import type { FileStat, FileUser, Space } from './file-stat.js';
import type { TreePosition } from './walker.js';

export const ROOT: FileUser = { pid: 1, cwd: '/', umask: 0o022, user: { uid: 0, gid: 0, groups: [0] } };

export type FileKind = FileStat['kind'];

export type NewNode =
  | { readonly kind: 'file' | 'directory'; readonly mode: number; readonly uid: number; readonly gid: number }
  | { readonly kind: 'symlink'; readonly target: string; readonly uid: number; readonly gid: number };

/** The changes of setattr; missing attributes stay. `size` truncates a file, or fills it up with zeros. */
export type Attributes = Partial<Pick<FileStat, 'mode' | 'uid' | 'gid' | 'modifiedAt' | 'size'>>;

/** `append` writes at the end, even while others write. */
export type FileAccess = 'read' | 'write' | 'both' | 'append';

/** An open file without a position. */
export interface RawFile {
  read(position: number, length: number): Promise<Buffer>;
  /** Writes at a position, or at the present end of the file; resolves with the position after the written bytes. */
  write(chunk: Buffer, position: number | 'end'): Promise<number>;
  close(): Promise<void>;
}

/**
 * A file, directory or link in any kind of volume: the container's layer, the host, or generated. Names are single
 * components; the walker handles links, `..`, mounts and permissions. A directory's methods reject with ENOENT or
 * EEXIST by name; the caller has checked the kinds.
 */
export interface Vnode {
  readonly kind: FileKind;
  stat(): Promise<FileStat>;
  space?(): Promise<Space>;
  open(access: FileAccess): Promise<RawFile>;
  readlink(who: FileUser): Promise<string>;
  /** Where an absolute target starts. Default: at the root of the process. */
  linkRoot?(): Promise<TreePosition>;
  change(attributes: Attributes): Promise<void>;
  /** Synchronous if everything is in memory. */
  lookup(name: string, who: FileUser): Vnode | undefined | Promise<Vnode | undefined>;
  list(): Promise<string[]>;
  make(name: string, what: NewNode): Promise<Vnode>;
  link(name: string, node: Vnode): Promise<void>;
  remove(name: string): Promise<void>;
  /** Replaces an existing target; `to` is a directory of the same volume. */
  rename(name: string, to: Vnode, newName: string): Promise<void>;
}

const refuse = (code: FileErrorCode) => async (): Promise<never> => {
  throw new FileError(code);
};

export abstract class BareNode implements Vnode {
  abstract readonly kind: FileKind;
  abstract stat(): Promise<FileStat>;
  open(_access: FileAccess): Promise<RawFile> {
    return refuse(this.kind === 'directory' ? 'EISDIR' : 'ENXIO')();
  }
  readlink(_who: FileUser): Promise<string> {
    return refuse('EINVAL')();
  }
  change(_attributes: Attributes): Promise<void> {
    return refuse('EPERM')();
  }
  lookup(_name: string, _who: FileUser): Vnode | undefined | Promise<Vnode | undefined> {
    return refuse('ENOTDIR')();
  }
  list(): Promise<string[]> {
    return refuse('ENOTDIR')();
  }
  make(_name: string, _what: NewNode): Promise<Vnode> {
    return refuse('EPERM')();
  }
  link(_name: string, _node: Vnode): Promise<void> {
    return refuse('EPERM')();
  }
  remove(_name: string): Promise<void> {
    return refuse('EPERM')();
  }
  rename(_name: string, _to: Vnode, _newName: string): Promise<void> {
    return refuse('EPERM')();
  }
}
