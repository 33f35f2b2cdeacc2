import { FileError, type FileErrorCode } from './file-error.js';
import type { FileStat, FileUser, Space } from './file-stat.js';
import type { TreePosition } from './walker.js';

/** The runtime itself, as root. */
export const ROOT: FileUser = { pid: 1, cwd: '/', umask: 0o022, user: { uid: 0, gid: 0, groups: [0] } };

/** The kinds of files that there are. */
export type FileKind = FileStat['kind'];

/** What a directory is asked to make. */
export type NewNode =
  | { readonly kind: 'file' | 'directory'; readonly mode: number; readonly uid: number; readonly gid: number }
  | { readonly kind: 'symlink'; readonly target: string; readonly uid: number; readonly gid: number };

/** What setattr changes; what is left out stays. */
export interface Attributes {
  /** Permission bits, with setuid, setgid and sticky. */
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  /** Unix nanoseconds. */
  readonly modifiedAt?: bigint;
  /** Bytes: a file is cut, or filled up with zeros. */
  readonly size?: number;
}

/** What a file is opened for; `append` writes at the end, while others write, too. */
export type FileAccess = 'read' | 'write' | 'both' | 'append';

/** An open file without a cursor. */
export interface RawFile {
  read(position: number, length: number): Promise<Buffer>;
  /** Writes at a position, or at the end of what was opened for it; resolves with the position after what was written. */
  write(chunk: Buffer, position: number | 'end'): Promise<number>;
  close(): Promise<void>;
}

/**
 * A file, directory or link in whatever kind of volume it lives: the container's layer, the host, or generated.
 * Names are single components; links, `..`, mounts and permissions are the walker's business. A directory's methods
 * reject with ENOENT or EEXIST where the name isn't or is there, but kinds were checked by the caller.
 */
export interface Vnode {
  readonly kind: FileKind;
  stat(): Promise<FileStat>;
  /** Of a file system of the host. */
  space?(): Promise<Space>;
  open(access: FileAccess): Promise<RawFile>;
  readlink(who: FileUser): Promise<string>;
  /** Where an absolute target starts, unless at the root of who follows it. */
  linkRoot?(): Promise<TreePosition>;
  change(attributes: Attributes): Promise<void>;
  /** At once where all is in memory. */
  lookup(name: string, who: FileUser): Vnode | undefined | Promise<Vnode | undefined>;
  list(): Promise<string[]>;
  make(name: string, what: NewNode): Promise<Vnode>;
  link(name: string, node: Vnode): Promise<void>;
  /** Removes a file, or an empty directory. */
  remove(name: string): Promise<void>;
  /** Moves over what may be there; `to` is a directory of the same volume. */
  rename(name: string, to: Vnode, newName: string): Promise<void>;
}

const refuse = (code: FileErrorCode) => async (): Promise<never> => {
  throw new FileError(code);
};

/** A node that offers nothing; kinds of nodes override what they can do. */
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
