import type { FileStat, FileUser, Space } from './file-stat.js';
import type { TreePosition } from './walker.js';

/**
 * The file system that one container sees: image content, host mounts, and what its config implies. Relative paths
 * start in the directory of the process that the view belongs to. Every method rejects with FileError.
 */
export interface FileSystem {
  /** A whole file of up to 1 MiB: settings and scripts. Rejects with EIO for more. */
  readFile(path: string): Promise<Buffer>;
  /** Replaces or appends; makes the file with `mode` (default 0666), less the umask, if it isn't there. */
  writeFile(path: string, data: Buffer, options?: { append?: boolean; mode?: number }): Promise<void>;
  /** For what is too long to hold in memory, or never ends; the caller closes it. New files are as with writeFile. */
  open(path: string, mode: OpenMode, permissions?: number): Promise<OpenFile>;
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  /** Of the file system that a path is in; undefined for those of the simulation, which have a quota at most. */
  space(path: string): Promise<Space | undefined>;
  /** Rejects with EACCES or EROFS where the process may not do that. */
  access(path: string, wish: 'read' | 'write' | 'execute'): Promise<void>;
  /** Names in the order of their bytes, without `.` and `..`. */
  readdir(path: string): Promise<string[]>;
  /** With `mode` (default 0777), less the umask. */
  mkdir(path: string, mode?: number): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  /** The path without links, `.` and `..`; every part of it must be there. */
  realpath(path: string): Promise<string>;
  chmod(path: string, mode: number): Promise<void>;
  chown(path: string, uid: number, gid: number): Promise<void>;
  /** Sets the modification time, in Unix nanoseconds. */
  utimes(path: string, time: bigint): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
}

/** A container's files as its root sees them from `/`, and as each of its processes does. */
export interface ContainerFiles extends FileSystem {
  /** With the process's user, working directory, `/proc/self` and standard streams. */
  as(process: FileUser): FileSystem;
  /** Where they start. Mounts what else is mounted at the first use; rejects if a mount's source is not there. */
  root(): Promise<TreePosition>;
  /** What the container wrote outside of its mounts. */
  readonly used: { readonly bytes: number; readonly files: number };
  /** Gives the memory of all that was written back. Nothing can be written from then on. */
  drop(): void;
}

/** As fopen(3) has them: `r+` and `w` differ in that `w` makes or empties the file; `wx` insists on a new one. */
export type OpenMode = 'r' | 'r+' | 'w' | 'wx' | 'a';

/**
 * An open file with its own cursor. Errors are FileError. Reads and writes are work of the process that opened it, and
 * reject once that has been killed.
 */
export interface OpenFile {
  /** At most `length` bytes, from `position` or from where the last read or write ended; empty at the end. */
  read(length: number, position?: number): Promise<Buffer>;
  write(chunk: Buffer, position?: number): Promise<void>;
  stat(): Promise<FileStat>;
  /** From now on it belongs to several processes, as after fork(2): each counts for itself what it reads and writes. */
  share(): void;
  /** Closing it again does nothing. */
  close(): Promise<void>;
}
