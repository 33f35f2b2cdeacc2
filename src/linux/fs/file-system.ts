import type { FileStat, FileUser, Space } from './file-stat.js';
import type { TreePosition } from './walker.js';

/**
 * The file system of one container: image content, host mounts, and files derived from its config. Relative paths start
 * in the working directory of the view's process. Every method rejects with FileError.
 */
export interface FileSystem {
  /** A whole file of up to 1 MiB: settings and scripts. Rejects with EIO for more. */
  readFile(path: string): Promise<Buffer>;
  /** Replaces or appends; creates a missing file with `mode` (default 0666), less the umask. */
  writeFile(path: string, data: Buffer, options?: { append?: boolean; mode?: number }): Promise<void>;
  /** For data that is too long for memory, or endless; the caller closes it. New files are as with writeFile. */
  open(path: string, mode: OpenMode, permissions?: number): Promise<OpenFile>;
  stat(path: string): Promise<FileStat>;
  lstat(path: string): Promise<FileStat>;
  /** Space of the path's file system; undefined for those of the simulation, which have at most a quota. */
  space(path: string): Promise<Space | undefined>;
  /** Rejects with EACCES or EROFS if the process may not do that. */
  access(path: string, wish: 'read' | 'write' | 'execute'): Promise<void>;
  /** Names in byte order, without `.` and `..`. */
  readdir(path: string): Promise<string[]>;
  /** With `mode` (default 0777), less the umask. */
  mkdir(path: string, mode?: number): Promise<void>;
  rmdir(path: string): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  symlink(target: string, path: string): Promise<void>;
  link(existing: string, path: string): Promise<void>;
  readlink(path: string): Promise<string>;
  /** Resolves links, `.` and `..`; every component must exist. */
  realpath(path: string): Promise<string>;
  chmod(path: string, mode: number): Promise<void>;
  chown(path: string, uid: number, gid: number): Promise<void>;
  /** Sets the modification time, in Unix nanoseconds. */
  utimes(path: string, time: bigint): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
}

/** A container's files as its root sees them from `/`; `as` gives the view of a process. */
export interface ContainerFiles extends FileSystem {
  /** With the process's user, working directory, `/proc/self` and standard streams. */
  as(process: FileUser): FileSystem;
  /** The root position. The first use mounts everything; rejects if a mount's source is missing. */
  root(): Promise<TreePosition>;
  /** What the container wrote outside of its mounts. */
  readonly used: { readonly bytes: number; readonly files: number };
  /** Bytes in /dev/shm. */
  readonly sharedMemory: number;
  /** Releases the memory of everything that was written. Later writes fail. */
  drop(): void;
}

/** As in fopen(3): `w` creates or empties the file, `r+` doesn't; `wx` requires a new one. */
export type OpenMode = 'r' | 'r+' | 'w' | 'wx' | 'a';

/** Errors are FileError. The process that opened the file pays for reads and writes, and its death rejects them. */
export interface OpenFile {
  /** At most `length` bytes, from `position` or from the end of the last read or write; empty at the end. */
  read(length: number, position?: number): Promise<Buffer>;
  write(chunk: Buffer, position?: number): Promise<void>;
  stat(): Promise<FileStat>;
  /** From now on it belongs to several processes, as after fork(2): each pays for its own reads and writes. */
  share(): void;
  /** Closing it again does nothing. */
  close(): Promise<void>;
}
