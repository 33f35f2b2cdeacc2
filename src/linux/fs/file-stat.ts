/** What a process's view of the files depends on; it may change its directory and its umask later. */
export interface FileUser {
  readonly pid: number;
  readonly cwd: string;
  /** Permission bits that what it makes does not get (umask(2)). */
  readonly umask: number;
  readonly user: { readonly uid: number; readonly gid: number; readonly groups: readonly number[] };
  /** Counts bytes that it reads or writes; rejects once it has been killed. Nothing counts for the runtime itself. */
  work?(bytes: number): Promise<void>;
  /** Undefined when it may go on at once, else resolves when it may; throws once it has been killed. */
  turn?(): Promise<void> | undefined;
}

/** statfs(2), in bytes. */
export interface Space {
  readonly size: number;
  readonly used: number;
  /** For others than root. */
  readonly available: number;
}

/** stat(2), as far as commands look at it. */
export interface FileStat {
  readonly kind: 'file' | 'directory' | 'symlink' | 'device' | 'pipe';
  /** Permission bits, with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Bytes. */
  readonly size: number;
  /** Unix nanoseconds. */
  readonly modifiedAt: bigint;
  /** The same number is the same file, within one mount. */
  readonly inode: number;
  /** Names that it has. */
  readonly links: number;
}
